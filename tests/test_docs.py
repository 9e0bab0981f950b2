"""The documents say what there is: commands, options, settings, families, checks, and the ledger of the records."""

import dataclasses
import re
from pathlib import Path

import pytest
import typer

from assay import catalogue, cli, testing
from assay.papers.listings.detect import READERS
from assay.studies.ledger import STORED, ledger
from assay.studies.protocol import protocol
from assay.studies.records import Run, runs
from toymethod import announce

ROOT = Path(__file__).parents[1]
RECORDS = ROOT / "records"
COMMANDS = typer.main.get_command(cli.app).commands
BUILT_IN = [card for card in catalogue.cards()[0] if card.module.startswith("assay.methods.")]
FAMILIES = sorted({card.family for card in BUILT_IN})


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def section(document, heading):
    """The part of a Markdown document under one heading of the second level."""
    found = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", text(document), flags=re.M | re.S)
    assert found, f"{document} has no section `## {heading}`; write it"
    return found[1]


def options(command):
    return {option for parameter in command.params for option in parameter.opts if option.startswith("--")} - {"--help"}


def settings_of(card):
    return {
        field.name
        for study in catalogue.studies(card)
        for scale in (study.small, study.full)
        for field in dataclasses.fields(scale)
    }


# --- commands ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_readme(name):
    assert f"`assay {name}" in text("README.md")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_described_and_no_other(name):
    page = section("docs/commands.md", f"assay {name}")
    described = set(re.findall(r"^\| `(--[a-z-]+)", page, flags=re.M))
    assert described == options(COMMANDS[name])


def test_the_page_of_commands_has_no_command_that_is_gone():
    assert set(re.findall(r"^## assay (\w+)$", text("docs/commands.md"), flags=re.M)) == set(COMMANDS)


def test_every_format_of_listings_is_named():
    page = section("docs/commands.md", "assay read")
    assert [reader.name for reader in READERS if f"`{reader.name}`" not in page] == []


def test_every_environment_variable_is_described():
    code = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "src" / "assay").rglob("*.py"))
    variables = set(re.findall(r"environ(?:\.get\(|\[)\"([A-Z_]+)\"", code))
    assert "ASSAY_HOME" in variables
    everything = text("README.md") + text("docs/commands.md")
    assert [name for name in variables if name not in everything] == []


# --- methods -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_a_page_that_the_readme_names(family):
    assert (ROOT / "docs" / f"{family}.md").is_file(), f"docs/{family}.md is missing; write the family's page"
    assert f"docs/{family}.md" in text("README.md")


@pytest.mark.parametrize("card", BUILT_IN, ids=lambda card: card.name)
def test_the_page_of_a_family_describes_its_methods(card):
    page = text(f"docs/{card.family}.md")
    assert card.name in page
    assert [name for name in card.exports if name not in page] == []
    assert [name for name in sorted(settings_of(card)) if f"`{name}`" not in page] == []


@pytest.mark.parametrize("card", BUILT_IN, ids=lambda card: card.name)
def test_every_method_has_tests_of_its_own(card):
    assert list((ROOT / "tests" / "methods" / card.family).glob(f"test_{card.method}*.py"))


# --- contributing ------------------------------------------------------------------------------------------------


def test_the_list_of_what_a_method_needs_is_what_is_checked():
    items = re.findall(r"^\d+\. .*?(?=^\d+\. |^#|\Z)", text("CONTRIBUTING.md"), flags=re.M | re.S)
    named = [name for item in items for name in re.findall(r"\(check: `([^`]+)`\)", item)]
    assert named == list(testing.CHECKS)


def test_the_method_of_the_guide_passes_every_check(site):
    blocks = re.findall(r"^```(python|toml)\n(.*?)^```$", text("docs/add-a-method.md"), flags=re.M | re.S)
    (card,) = [block for kind, block in blocks if kind == "toml" and "[[claim]]" in block]
    code, init, study, example, test = [block for kind, block in blocks if kind == "python"]
    folder = site / "shrink"
    folder.mkdir()
    files = {"card.toml": card, "shrinking.py": code, "__init__.py": init, "study.py": study, "example.py": example}
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    announce(site, "shrink", {"shrink": "shrink"})
    assert testing.check_method("shrink") == list(testing.CHECKS)
    assert '@parametrize_methods("shrink")' in test


def test_the_guide_names_every_field_of_a_card_and_of_a_test():
    guide = text("docs/add-a-method.md")
    fields = (*catalogue._MUST, *catalogue._MAY)
    assert [name for name in fields if not re.search(rf"\b{name}\b", guide)] == []
    parts = [field.name for field in dataclasses.fields(testing.Test)]
    assert [name for name in parts if f"`{name}`" not in guide] == []


# --- the ledger --------------------------------------------------------------------------------------------------


def test_the_committed_ledger_is_the_one_of_the_records():
    found = ledger(RECORDS, [card.name for card in BUILT_IN])
    assert found.problems == ()
    assert text("LEDGER.md") == found.to_markdown(), "run `make ledger` and commit what it writes"


def test_every_committed_record_is_of_the_current_protocol_or_superseded():
    current = {
        protocol(card, study, settings, settings.seeds)
        for card in BUILT_IN
        for study in catalogue.studies(card)
        for settings in (study.small, study.full)
    }
    headers, unreadable = runs(RECORDS)
    assert headers, "there are no records; run `make ledger` and commit what it writes"
    assert unreadable == []
    superseded = {line.run for line in ledger(RECORDS, [card.name for card in BUILT_IN]).lines if line.superseded}
    for header in headers:
        if header.protocol not in current:
            assert (RECORDS / header.folder / STORED).is_file(), f"{header.folder}: no stored verdicts; remove the run"
            assert header.folder in superseded


def test_every_current_claim_that_a_study_tests_has_been_run():
    lines = ledger(RECORDS, [card.name for card in BUILT_IN]).current
    assert [line.claim.id for line in lines if "not run on this machine" in line.verdict.reason] == []


def test_committed_records_name_no_folder_of_a_machine():
    headers, _ = runs(RECORDS)
    for header in headers:
        for file in (RECORDS / header.folder).rglob("*.json*"):
            assert not re.search(r'"(/\w+/|[A-Z]:\\)', file.read_text(encoding="utf-8")), file
        assert Run(RECORDS / header.folder).state == "finished"
