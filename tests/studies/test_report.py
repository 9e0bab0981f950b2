"""The report of a run: everything is in it, nothing in it runs or loads, and it can be read in the dark."""

import dataclasses
import math
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from strict_html import Page

from assay import catalogue
from assay.catalogue import Card, Difference, Need
from assay.claims.claim import Claim, Reported
from assay.claims.verdict import WORDS
from assay.studies import plots, report
from assay.studies.ledger import judge_run, store
from assay.studies.protocol import protocol
from assay.studies.records import Run, RunWriter, encode
from assay.studies.report import card_html, commands, field_docs, know, links, report_html, run_html, write_report
from assay.studies.study import Cases, Ratio, Rows, Series, Settings, Test, local

HOSTILE = "<script>alert('1')</script> \"q\" | ` ]]> &amp; </style> \x1b[31m \u202e\nnext"
SHOWN = "<script>alert('1')</script> \"q\" | ` ]]> &amp; </style> \ufffd[31m \ufffd next"


@dataclass(frozen=True)
class Plan(Settings):
    """Settings of the study below."""

    seeds: int = 5
    regimes: tuple[str, ...] = ("calm", "rough")
    rows: int = 500
    """Training rows of one trial (count)."""
    rates: tuple[float, ...] = (0.1, 0.5)
    """Learning rates tried,
    per step."""
    plain: bool = True
    data: str = local()
    """Folder with the data."""


def gain(trial, arm, baseline):
    """log(error of the baseline / error of the arm).

    Not shown.
    """
    return math.log(trial.value(baseline, "error") / trial.value(arm, "error"))


def loss(trial, arm, baseline):
    return trial.value(arm, "score") - trial.value(baseline, "score")


def checked(trial, arm, baseline):
    """Cases with a privacy loss above epsilon."""
    return trial[arm]["audit"]


class Study:
    """Compares the toy with a plain baseline."""

    name = "map"
    stand_in = "diamonds in place of Criteo"
    small = Plan()
    full = Plan(rows=10_000, seeds=20)
    tests = (
        Test("lower", "toy", gain, math.log(1.02), "log", ("plain", "other"), control="placebo", simpler="half"),
        Test("lower", "toy", gain, 0.05, "log", ("plain",), compares="magnitude", reported=0.25, label="one only"),
        Test(
            "keeps",
            "toy",
            loss,
            0.02,
            against=("plain", "half"),
            spoiled="broken",
            over="mean",
            resplit=0.25,
            floor=-1.0,
        ),
        Test("always", "toy", checked, 1e-9, spoiled="broken", regimes=("calm", "elsewhere")),
        Test("peer", "toy", gain, 0.05, "log", ("peer",), over="some", of="authors"),
    )

    def trial(self, run):
        raise AssertionError("never run here")

    def fits(self, test, trials):
        """The plain baseline learns something."""
        return None


STUDY = Study()
ARMS = ("toy", "plain", "other", "placebo", "half", "broken")


@pytest.fixture
def card(tmp_path):
    folder = tmp_path / "privacy" / "toy"
    folder.mkdir(parents=True)
    (folder / "study.py").write_text("STUDIES = ()\n")
    return Card(
        name="privacy/toy",
        family="privacy",
        method="toy",
        module="toys_that_are_gone.toy",
        folder=folder,
        title="A toy with labels",
        authors=("Author One", "Author Two"),
        venue="TMLR",
        year=2026,
        status="accepted",
        summary="It does what toys do.",
        basis="abstract",
        exports=("Toy",),
        extra="privacy",
        easy="The closed form was easy.",
        hard="The half-width was hard.",
        full="Needs data that no package ships.",
        ids={"arxiv": "2601.00001", "isbn": "1-2"},
        links={"code": "https://example.org/code?a=1&b=2", "bad": "javascript:alert(1)"},
        needs=(Need("peerlib", "peerlib", "peerlib==1", "the peer"),),
        differs=(
            Difference("paper", "Fewer nodes.", "The paper names none."),
            Difference("official code", "The prior is private.", "It is built from clean labels."),
        ),
        claims=(
            Claim("old", "Errors are lowest.", "more", (Reported(None, words="the best", version="submission"),)),
            Claim("lower", "Errors are lower.", "more", (Reported(24, "%", "Table 2", "up to"),), replaces="old"),
            Claim("keeps", "Scores are kept.", "keeps"),
            Claim("always", "The bound is never violated.", "always"),
            Claim("peer", "It beats the peer.", "more", by="us"),
            Claim("speed", "It is ten times faster.", "more", untested="speeds of another machine are not compared"),
        ),
    )


def metrics(arm, regime, seed):
    wobble = 1 + 0.01 * ((seed * 7 + len(arm)) % 5)
    return {
        "error": {"toy": 1.0, "placebo": 1.5}.get(arm, 1.5) * wobble,
        "score": (0.2 if arm == "broken" else 0.8) * wobble,
        "audit": Cases(80, int(arm == "broken"), int(arm == "broken"), "x = 3" if arm == "broken" else ""),
        "items": Rows((0.5, 1.5 * wobble)),
        "share": Ratio(1.0, 4.0),
        "solver": "newton",
        "curve": Series((1.0, 2.0, 4.0), (3.0 * wobble, 2.0, 1.0), "pass", "training error"),
    }


def write(folder, card, study=STUDY, settings=None, scale="small", seeds=None, fail=None, end=True, **changes):
    """A run on disk, as the driver writes it; `fail(regime, seed, arm)` gives a reason or None."""
    settings = settings or study.small
    planned = study.small.seeds
    info = {
        "method": card.name,
        "study": study.name,
        "scale": scale,
        "protocol": protocol(card, study, settings, planned),
        "planned": planned,
        "seeds": seeds or settings.seeds,
        "stand_in": study.stand_in,
        "settings": dataclasses.asdict(settings),
        **changes,
    }
    with RunWriter(folder, info) as writer:
        for seed in range(seeds or settings.seeds):
            for regime in settings.regimes:
                at = {"regime": regime, "seed": seed}
                for arm in ARMS:
                    why = fail(regime, seed, arm) if fail else None
                    if why:
                        writer.append({**at, "arm": arm, "state": "failed", "why": why, "trace": ""})
                        continue
                    values = {name: encode(value) for name, value in metrics(arm, regime, seed).items()}
                    writer.append({**at, "arm": arm, "state": "done", "metrics": values, "wall": 0.5, "cpu": 0.5})
                missing = {"state": "missing", "why": "needs peerlib: pip install peerlib==1", "needs": ["peerlib"]}
                writer.append({**at, "arm": "peer", **missing})
                if end:
                    writer.append({**at, "end": "complete"})
    return Run(folder)


def failing(regime, seed, arm):
    return "ValueError: no bins left" if (arm, seed) == ("other", 3) else None


@pytest.fixture
def run(tmp_path, card):
    return write(tmp_path / "runs" / "privacy.toy.map.small.0123456789ab", card, fail=failing)


@pytest.fixture
def page(run, card):
    return Page(report_html(run, card, STUDY))


# --- what is in it ------------------------------------------------------------------------------------------------


def test_headings_in_the_order_of_a_reproducibility_report(page):
    assert [text for level, text in page.headings if level == 2] == [
        "Scope",
        "Method",
        "Results",
        "What was easy",
        "What was hard",
        "Differences",
        "Environment",
        "How to rerun",
    ]
    assert [text for level, text in page.headings if level == 1] == ["A toy with labels"]
    for (before, _), (after, text) in pairwise(page.headings):
        assert after <= before + 1, f"the heading {text!r} skips a level"


def test_every_claim_arm_setting_and_reason_is_there(page, card, run):
    for claim in card.claims:
        assert claim.says in page.text
    for arm in (*ARMS, "peer"):
        assert arm in page.text
    for words in (
        "up to 24 %, Table 2",
        "the best (submission)",
        "replaces the older wording old",
        "no: speeds of another machine are not compared",
        "reconstructed from the abstract alone",
        "diamonds in place of Criteo",
        "Compares the toy with a plain baseline.",
        "Precondition: The plain baseline learns something.",
        "Training rows of one trial (count).",
        "Learning rates tried, per step.",
        "Trials per regime: seeds 0..seeds-1.",
        "ValueError: no bins left",
        "seed 3 of calm; rough",
        "needs peerlib: pip install peerlib==1",
        "every trial",
        "The closed form was easy.",
        "The half-width was hard.",
        "Needs data that no package ships.",
        "Fewer nodes. The paper names none.",
        "The prior is private. It is built from clean labels.",
        run.protocol,
        "newton",
        "0.250 (pooled)",
        "5 curves",
        "5 of 400 cases violated, 5 confirmed",
    ):
        assert words in page.text, words
    assert "Not shown." not in page.text


def test_tests_are_spelled_out(page):
    for words in (
        "Against plain and other; all must be beaten",
        "Against plain and half; all must be kept up with",
        "Control placebo (its effect must vanish)",
        "Simpler arm half (asks whether less does as well)",
        "Spoiled arm broken (the test must catch it)",
        "Measure gain: log(error of the baseline / error of the arm).",
        "Scale logarithm of a ratio, shown as a factor; 1x is no effect",
        "Margin d 1.02x, the smallest effect that matters",
        "Compares the size of the effect, since quantity, data and model are the paper's own; R = 1.28x",
        "Over regimes the best decides, judged more strictly for having been picked",
        "In regimes calm (and 1 at another scale)",
        "n_test / n_train = 0.25",
        "Failed trials count as -1.00",
        "Tested on the authors' procedure",
    ):
        assert words in page.text, words


def test_verdicts_are_those_of_the_ledger(run, card, page):
    lines = judge_run(card, STUDY, run)
    assert {line.verdict.word for line in lines} >= {"reproduced", "consistent", "inconclusive", "untested"}
    for line in lines:
        assert line.verdict.word in page.text
        if line.verdict.mean is not None:
            assert report.wording.measured(line) in page.text
        for note in line.verdict.notes:
            assert note in page.text


def test_a_finished_current_run_has_nothing_to_warn_of(run, card, page):
    assert know(run, card, STUDY).problems == ()
    for word in ("Superseded", "Unfinished", "killed", "Exploration"):
        assert word not in page.text


def test_the_same_run_gives_the_same_bytes(run, card):
    assert report_html(run, card, STUDY) == report_html(Run(run.folder), card, STUDY)


def test_written_in_one_step_beside_the_records(run, card, monkeypatch):
    monkeypatch.setattr(catalogue, "find", lambda name: card)
    monkeypatch.setattr(catalogue, "studies", lambda found: (STUDY,))
    file = write_report(run)
    assert file == run.folder / "report.html"
    assert file.read_text(encoding="utf-8") == report_html(run, card, STUDY)
    assert [other.name for other in run.folder.iterdir() if other.name.endswith(".part")] == []


def test_no_folder_of_this_machine_is_named(tmp_path, card):
    settings = dataclasses.replace(STUDY.small, data="/home/someone/data")
    run = write(tmp_path / "r", card, settings=settings, fail=lambda *_: "OSError: /home/someone/data/x.csv")
    text = report_html(run, card, STUDY)
    assert "/home" not in text
    assert str(tmp_path) not in text
    assert "a folder on the machine of the run" in text


# --- what it says at the top --------------------------------------------------------------------------------------


def test_superseded_shows_what_was_stored(run, card):
    store(run, judge_run(card, STUDY, run))
    changed = Study()
    changed.tests = (dataclasses.replace(STUDY.tests[0], margin=0.5),)
    page = Page(report_html(run, card, changed))
    assert "Superseded: settings, tests or code have changed since this run" in page.text
    assert "superseded, was" in page.text
    assert "Scores are kept." in page.text
    assert "Margin d 0.02" in page.text, "the tests of the run, not those of today"


def test_settings_that_no_longer_exist_are_a_changed_protocol(run, card):
    @dataclass(frozen=True)
    class Other(Settings):
        seeds: int = 5

    changed = Study()
    changed.small = changed.full = Other()
    assert "Superseded" in Page(report_html(run, card, changed)).text


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("running", "The process of this run was killed. 10 of 10 trials are complete; assay run resumes it."),
        ("stopped", "This run was stopped before its end. 10 of 10 trials are complete; assay run resumes it."),
    ],
)
def test_runs_that_did_not_end(run, card, state, words):
    file = run.folder / "run.json"
    file.write_text(file.read_text().replace('"state": "finished"', f'"state": "{state}"'))
    assert words in Page(report_html(Run(run.folder), card, STUDY)).text


def test_trials_that_did_not_end_are_named(tmp_path, card):
    run = write(tmp_path / "r", card, end=False)
    page = Page(report_html(run, card, STUDY))
    assert "Unfinished: 0 of 10 trials are complete." in page.text
    assert "Trials that did not end: calm, seed 0; calm, seed 1;" in page.text


def test_changed_settings_are_exploration(tmp_path, card):
    run = write(tmp_path / "r", card, settings=dataclasses.replace(STUDY.small, rows=50), scale="custom")
    assert "Exploration: its settings were changed" in Page(report_html(run, card, STUDY)).text


def test_a_run_without_trials(tmp_path, card):
    run = write(tmp_path / "r", card, seeds=5, fail=None, settings=dataclasses.replace(STUDY.small, regimes=()))
    Page(report_html(run, card, STUDY))


def test_a_study_that_cannot_be_imported_still_has_a_report(run, card):
    lines = judge_run(card, STUDY, run)
    store(run, lines)
    page = Page(report_html(run, card))
    assert "The study can no longer be imported (MissingExtra: " in page.text
    values = [report.wording.measured(line) for line in lines]
    for words in ("Errors are lower.", "ValueError: no bins left", "reproduced", "rows 500", *values):
        assert words in page.text, words
    assert "Superseded" not in page.text


def test_a_study_that_raises_when_imported(run, card, monkeypatch):
    def broken(found):
        raise RuntimeError("no luck today")

    monkeypatch.setattr(catalogue, "studies", broken)
    assert "The study can no longer be imported (RuntimeError: no luck today)" in Page(report_html(run, card)).text


def test_a_study_that_was_removed(run, card, monkeypatch):
    monkeypatch.setattr(catalogue, "studies", lambda found: ())
    assert "privacy/toy no longer has a study map" in Page(report_html(run, card)).text


def test_a_method_whose_card_is_gone(run, card):
    store(run, judge_run(card, STUDY, run))
    page = Page(report_html(run))
    assert "The card of this method cannot be read (there is no method 'privacy/toy'" in page.text
    for words in ("Errors are lower.", "reproduced", "ValueError: no bins left", "privacy/toy"):
        assert words in page.text, words


def test_without_verdicts_the_trials_are_shown(run, card):
    page = Page(report_html(run, card))
    assert "No verdicts are stored with this run; only its trials are shown." in page.text
    assert "There are no verdicts." in page.text
    assert "ValueError: no bins left" in page.text


def test_damaged_verdicts_are_reported(run, card):
    (run.folder / "verdicts.json").write_text("[{}]")
    assert "The stored verdicts cannot be read:" in Page(report_html(run, card)).text


def test_a_test_that_cannot_read_its_trials(run, card):
    changed = Study()
    changed.tests = (dataclasses.replace(STUDY.tests[0], measure=lambda trial, arm, baseline: trial[arm]["gone"]),)
    info = run.folder / "run.json"
    new = protocol(card, changed, changed.small, 5)
    info.write_text(info.read_text().replace(run.protocol, new))
    page = Page(report_html(Run(run.folder), card, changed))
    assert "The verdicts cannot be computed: the test of claim lower" in page.text


# --- hostile text -------------------------------------------------------------------------------------------------


def hostile_card(card):
    return dataclasses.replace(
        card,
        title=HOSTILE,
        authors=(HOSTILE,),
        venue=HOSTILE,
        status=HOSTILE,
        summary=HOSTILE,
        easy=HOSTILE,
        hard=HOSTILE,
        full=HOSTILE,
        exports=(HOSTILE,),
        ids={"arxiv": HOSTILE, HOSTILE: HOSTILE},
        links={HOSTILE: 'https://example.org/"><script>', "x": HOSTILE, "y": "https://example.org/\nx"},
        differs=(Difference("paper", HOSTILE, HOSTILE),),
        claims=tuple(
            dataclasses.replace(claim, says=HOSTILE + "x" * 10_000, reported=(Reported(1.0, HOSTILE, words=HOSTILE),))
            for claim in card.claims
        ),
    )


def test_hostile_text_stays_text(tmp_path, card, monkeypatch):
    bad = hostile_card(card)
    study = Study()
    study.name = study.stand_in = HOSTILE
    study.small = study.full = Plan(regimes=(HOSTILE, "y" * 10_000))
    study.tests = tuple(dataclasses.replace(test, label=HOSTILE, regimes=None) for test in STUDY.tests)
    monkeypatch.setattr("test_report.ARMS", (*ARMS, HOSTILE))
    plain = metrics

    def more(arm, regime, seed):
        curve = Series((1.0,), (2.0,), HOSTILE, HOSTILE)
        return {**plain(arm, regime, seed), HOSTILE: 1.0 * seed, f"a{HOSTILE}": curve, "text": HOSTILE}

    monkeypatch.setattr("test_report.metrics", more)
    run = write(tmp_path / "r", bad, study, fail=lambda r, seed, arm: HOSTILE if (seed, arm) == (2, "other") else None)
    file = run.folder / "run.json"
    file.write_text(file.read_text().replace('"platform": "', '"platform": "<script>&'))
    run = Run(run.folder)
    page = Page(report_html(run, bad, study))
    assert page.text.count(SHOWN) > 50
    assert not any("<" in link or '"' in link for link in page.links)
    store(run, judge_run(bad, study, run))
    Page(report_html(run))
    Page(card_html(bad))
    monkeypatch.setattr(catalogue, "find", lambda name: bad)
    monkeypatch.setattr(catalogue, "studies", lambda found: (study,))
    assert SHOWN in Page(run_html(run)).text


def test_only_web_addresses_become_links(card):
    assert links(card) == [
        ("arxiv 2601.00001", "https://arxiv.org/abs/2601.00001"),
        ("isbn 1-2", ""),
        ("code", "https://example.org/code?a=1&b=2"),
        ("bad: javascript:alert(1)", ""),
    ]
    odd = dataclasses.replace(card, ids={"doi": "10.1/a b?<>"}, links={"a": "https://", "b": "//example.org", "c": ""})
    assert [address for _, address in links(odd)] == ["https://doi.org/10.1/a%20b%3F%3C%3E", "", "", ""]
    assert set(Page(card_html(card)).links) == {"https://arxiv.org/abs/2601.00001", "https://example.org/code?a=1&b=2"}


# --- how to rerun -------------------------------------------------------------------------------------------------


def last_command(run, card, study=STUDY):
    return commands(know(run, card, study))[-1]


def test_the_commands_that_repeat_a_run(run, card):
    run.info["sessions"][-1]["commit"] = "0123456789ab+"
    first, second, third, fourth = commands(know(run, card, STUDY))
    assert first == "git checkout 0123456789ab"
    assert second == "pip install -e '.[privacy]'"
    assert third == "assay doctor privacy/toy --install"
    assert fourth == "assay run privacy/toy --study map --scale small"


def test_the_commands_without_a_commit(run, card):
    run.info["sessions"][-1]["commit"] = None
    known = know(run, dataclasses.replace(card, needs=()), STUDY)
    assert commands(known)[:-1] == ["pip install 'assay[privacy]'"]
    known = know(run, dataclasses.replace(card, needs=(), extra=None), STUDY)
    assert commands(known)[:-1] == ["pip install assay"]


def test_more_seeds_and_changed_settings_are_in_the_command(tmp_path, card):
    more = write(tmp_path / "a", card, seeds=10)
    assert last_command(more, card) == "assay run privacy/toy --study map --scale small --seeds 10"
    settings = dataclasses.replace(STUDY.full, rates=(0.1, 0.25), plain=False, regimes=("calm",), seeds=5)
    custom = write(tmp_path / "b", card, settings=settings, scale="custom")
    assert last_command(custom, card) == (
        "assay run privacy/toy --study map --scale full --set regimes=calm --set rates=0.1,0.25 --set plain=false"
    )
    placed = write(tmp_path / "c", card, settings=dataclasses.replace(STUDY.small, data="/home/someone/data"))
    assert last_command(placed, card) == "assay run privacy/toy --study map --scale small --set data=FOLDER"


def test_names_are_quoted_for_the_shell(tmp_path, card):
    odd = dataclasses.replace(card, name="privacy/a; rm -rf x")
    run = write(tmp_path / "r", odd)
    assert "assay run 'privacy/a; rm -rf x' --study map" in last_command(run, odd)


# --- parts --------------------------------------------------------------------------------------------------------


def test_texts_under_fields_are_read_with_those_of_the_base():
    assert field_docs(Plan) == {
        "seeds": "Trials per regime: seeds 0..seeds-1.",
        "regimes": "Conditions under which the verdict may differ, named before the run.",
        "threads": "Threads a trial may use; numerical libraries are pinned to it.",
        "rows": "Training rows of one trial (count).",
        "rates": "Learning rates tried, per step.",
        "data": "Folder with the data.",
    }


def test_a_class_without_source_has_no_texts():
    made = dataclasses.make_dataclass("Made", [("x", int, 1)], frozen=True)
    assert field_docs(made) == {}


def test_sessions_tell_versions_once(run, card):
    first = run.info["sessions"][0]
    run.info["sessions"] = [first, {**first, "end": None}, {**first, "versions": {"numpy": "0.1"}}]
    text = Page(report_html(run, card, STUDY)).text
    assert "Session 2: the same versions as before." in text
    assert "All 1 packages of session 3" in text
    assert "numpy==0.1" in text
    assert "numpy 0.1." in text
    assert "not ended" in text


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def themes():
    """The colours of the page by name, light and dark."""
    css = (Path(report.__file__).parent / "templates" / "report.css").read_text()
    light, dark = css.split("@media (prefers-color-scheme: dark)", 1)
    found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part)) for part in (light, dark.split("* {", 1)[0])]
    assert found[0].keys() == found[1].keys()
    return found


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_has_enough_contrast(theme):
    colours = themes()[theme]
    for name in ("ink", "soft", "link"):
        for ground in ("page", "card", "tint"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
    for word in WORDS:
        assert contrast(colours[word], colours[f"{word}-bg"]) >= 4.5, word
    for colour in (*plots.PALETTE, *plots.TONES.values()):
        assert contrast(colour, colours["card"]) >= 3, colour
        assert contrast(colour, colours["page"]) >= 3, colour
    assert len({colours[f"{word}-bg"] for word in WORDS}) == len(WORDS), "each word has a colour of its own"


def test_tables_say_what_they_are(run, card):
    source = report_html(run, card, STUDY)
    for table in re.findall(r"<table>.*?</table>", source, flags=re.S):
        assert "<caption>" in table
        assert "<th scope=" in table
        assert "<th>" not in table
    for landmark in ("<header", "<nav", "<main>", "<footer>", '<html lang="en">'):
        assert source.count(landmark) == 1


# --- in a notebook ------------------------------------------------------------------------------------------------


def test_a_run_in_a_notebook(run, card, monkeypatch):
    monkeypatch.setattr(catalogue, "find", lambda name: card)
    monkeypatch.setattr(catalogue, "studies", lambda found: (STUDY,))
    page = Page(run._repr_html_())
    for words in ("privacy/toy", "Errors are lower.", "reproduced", "above 1x favours the claim"):
        assert words in page.text
    assert "svg" in page.tags


def test_a_method_in_a_notebook(card):
    page = Page(card._repr_html_())
    for claim in card.claims:
        assert claim.says in page.text
    assert "from toys_that_are_gone.toy import Toy" in page.text
    ours = dataclasses.replace(card, module="assay.methods.privacy.toy")
    assert "from assay.methods.privacy import Toy" in Page(card_html(ours)).text
