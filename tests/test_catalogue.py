"""Cards are read without methods, and what is broken is one line that stops nothing else."""

import json
import subprocess
import sys

import pytest

from assay import catalogue
from assay.catalogue import CardError, MissingExtra, UnknownMethod, cards, find, read_card
from toymethod import CARD, announce

BUILT_IN = "privacy/rpwithprior"


@pytest.fixture
def card_of(tmp_path):
    """The card with this text."""

    def read(text, name="toy"):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "card.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_card(folder, f"plug.{name}")

    return read


def test_every_built_in_card_can_be_read():
    found, broken = cards()
    assert BUILT_IN in [card.name for card in found]
    assert broken == []
    assert [card.name for card in found] == sorted(card.name for card in found)


def test_a_card_is_read_in_full(card_of):
    card = card_of(CARD)
    assert (card.name, card.family, card.method, card.module) == ("theory/toy", "theory", "toy", "plug.toy")
    assert card.authors == ("A. Author", "B. Author")
    assert (card.year, card.status, card.basis, card.extra) == (2026, "published", "paper", None)
    assert card.ids == {"arxiv": "2601.99999"}
    (claim,) = card.claims
    assert (claim.id, claim.kind, claim.by, claim.untested) == ("higher", "more", "paper", None)
    (reported,) = claim.reported
    assert (reported.value, reported.unit, reported.at, reported.bound, reported.source) == (
        1,
        "points",
        "Table 1",
        "",
        "paper",
    )
    assert card.claim("higher") is claim
    with pytest.raises(LookupError, match="no claim 'lower'; it has higher"):
        card.claim("lower")


def test_lines_of_a_text_become_one_and_a_whole_number_is_a_value(card_of):
    text = CARD.replace('"A made-up method."', '"""A made-up\n  method."""').replace("value = 1.0", "value = 3")
    card = card_of(text)
    assert card.summary == "A made-up method."
    assert card.claims[0].reported[0].value == 3.0


REPORTED = '[[claim.reported]]\nvalue = 1.0\nunit = "points"\nat = "Table 1"\n'

BAD = {
    "not TOML": ("title = A Toy", "at line 1, column 9"),
    "not UTF-8": (CARD.encode() + b"\n# \xff", "utf-8"),
    "empty": ("", "field 'title' is missing"),
    "unknown field": (f'titel = "x"\n{CARD}', "unknown field 'titel'; did you mean 'title'"),
    "unknown field, nothing near": (f"zzz = 1\n{CARD}", "unknown field 'zzz'; it may have title"),
    "missing field": (CARD.replace("year = 2026\n", ""), "field 'year' is missing; add it"),
    "empty title": (CARD.replace('"A Toy"', '" "'), "field 'title' is missing or empty"),
    "number for text": (CARD.replace('"A Toy"', "7"), "title must be a text, not 7"),
    "text for a year": (CARD.replace("2026", '"2026"'), "year must be a whole number, not '2026'"),
    "true for a year": (CARD.replace("2026", "true"), "year must be a whole number, not True"),
    "authors as one text": (
        CARD.replace('["A. Author", "B. Author"]', '"A. Author"'),
        "authors must be a list of texts",
    ),
    "family": (CARD.replace('"theory"', '"magic"'), "family 'magic' is none of inside"),
    "basis": (
        CARD.replace('basis = "paper"', 'basis = "hearsay"'),
        "basis is 'hearsay'; it must be one of 'paper and code'",
    ),
    "ids": (CARD.replace('"2601.99999"', "2601.99999"), "ids must be a table of texts"),
    "no claim": (CARD.split("[[claim]]")[0], "there is no [[claim]]; add at least one"),
    "single brackets": (
        CARD.split("[[claim]]")[0] + '[claim]\nid = "x"\n',
        "[[claim]] must be written with double brackets",
    ),
    "kind": (
        CARD.replace('"more"', '"less"'),
        "[[claim]] higher: kind is 'less'; it must be one of 'more', 'keeps', 'always'",
    ),
    "claim without id": (CARD.replace('id = "higher"\n', ""), "[[claim]] 1: field 'id' is missing"),
    "claim without words": (CARD.replace("says = ", "# "), "[[claim]] higher: field 'says' is missing"),
    "claim's unknown field": (
        CARD.replace("kind =", "kinds ="),
        "[[claim]] higher has an unknown field 'kinds'; did you mean 'kind'",
    ),
    "claim twice": (CARD + CARD[CARD.index("[[claim]]") :], "[[claim]] id 'higher' stands twice; rename one"),
    "replaces nothing": (
        CARD.replace('kind = "more"', 'kind = "more"\nreplaces = "gone"'),
        "[[claim]] higher: replaces 'gone', which is no claim of the card",
    ),
    "value": (CARD.replace("1.0", '"many"'), "[[claim]] higher reported: value must be a finite number, not 'many'"),
    "value true": (CARD.replace("1.0", "true"), "value must be a finite number, not True"),
    "neither value nor words": (
        CARD.replace("value = 1.0\n", ""),
        "give a `value` or, where the paper has no number, `words`",
    ),
    "bound": (
        CARD.replace("value = 1.0", 'value = 1.0\nbound = "circa"'),
        "bound is 'circa'; it must be one of '', 'up to'",
    ),
    "source": (
        CARD.replace("value = 1.0", 'value = 1.0\nsource = "dream"'),
        "source is 'dream'; it must be one of 'paper'",
    ),
    "by": (
        CARD.replace('kind = "more"', 'kind = "more"\nby = "them"'),
        "by is 'them'; it must be one of 'paper', 'us'",
    ),
    "need without why": (f'{CARD}\n[[needs]]\npackage = "peer"\n', "[[needs]]: field 'why' is missing"),
    "differs without why": (
        f'{CARD}\n[[differs]]\nfrom = "paper"\nwhat = "x"\n',
        "[[differs]]: field 'why' is missing",
    ),
    "differs from something": (
        f'{CARD}\n[[differs]]\nfrom = "me"\nwhat = "x"\nwhy = "y"\n',
        "[[differs]]: from is 'me'; it must be one of 'paper', 'official code'",
    ),
}


@pytest.mark.parametrize(("text", "says"), BAD.values(), ids=BAD)
def test_a_bad_card_is_one_line_with_file_field_and_fix(card_of, tmp_path, text, says):
    with pytest.raises(CardError) as caught:
        card_of(text)
    line = str(caught.value)
    assert says in line
    assert line.startswith(str(tmp_path / "toy" / "card.toml"))
    assert len(line.splitlines()) == 1


def test_a_folder_without_a_card_says_so(tmp_path):
    with pytest.raises(CardError, match=r"card\.toml: there is no card\.toml in the method's folder; write one"):
        read_card(tmp_path, "plug")


def test_a_need_is_found_by_its_package_unless_the_card_says_more(card_of):
    need = '\n[[needs]]\npackage = "some-peer"\nwhy = "the peer"\n'
    (short,) = card_of(CARD + need).needs
    assert (short.imports, short.install) == ("some_peer", "some-peer")
    (full,) = card_of(CARD + need + 'imports = "peer"\ninstall = "--no-deps some-peer==1.0"\n').needs
    assert (full.imports, full.install) == ("peer", "--no-deps some-peer==1.0")
    assert catalogue.needs_missing(card_of(CARD + need)) == [short]


# --- plug-ins ----------------------------------------------------------------------------------------------------


def names():
    found, broken = cards()
    return [card.name for card in found], [str(line) for line in broken]


def test_a_plugin_is_found_and_nothing_of_it_is_imported(plugin):
    folder = plugin(package="raise RuntimeError('imported')", **{"__init__.py": "raise RuntimeError('imported')"})
    found, broken = names()
    assert "theory/toy" in found
    assert BUILT_IN in found
    assert broken == []
    card = find("toy")
    assert (card.folder, card.module) == (folder, "toyplug.toy")


def test_a_plugin_that_is_one_package(plugin):
    plugin("toyplug")
    assert find("toyplug").name == "theory/toyplug"


def test_a_broken_plugin_is_one_line_and_the_others_stay(plugin, site):
    plugin()
    plugin("badplug.bad", **{"card.toml": "title = "})
    announce(site, "goneplug", {"gone": "goneplug.gone"})
    announce(site, "oddplug", {"odd": ".."})
    found, broken = names()
    assert {BUILT_IN, "theory/toy"} <= set(found)
    assert len(broken) == 3
    assert all(len(line.splitlines()) == 1 for line in broken)
    by_name = {line.split(" ")[1]: line for line in broken}
    assert "badplug" in by_name["bad"]
    assert "card.toml" in by_name["bad"]
    assert "no folder of that name is installed" in by_name["gone"]
    assert "no folder of that name is installed" in by_name["odd"]


def test_two_methods_of_one_name_are_one_method_and_one_line(plugin):
    first = plugin()
    plugin("otherplug.toy")
    found, (line,) = names()
    assert found.count("theory/toy") == 1
    assert "theory/toy is already the name of the method in" in line
    assert "rename one" in line
    assert first.parent.parent == find("toy").folder.parent.parent


def test_find_takes_both_names_and_says_what_is_near(plugin):
    plugin()
    assert find("theory/toy") == find(" TOY/ ") == find("toy")
    with pytest.raises(UnknownMethod, match=r"there is no method 'theory/toi'; did you mean .*theory/toy"):
        find("theory/toi")
    with pytest.raises(UnknownMethod, match="`assay methods` lists what there is"):
        find("zzzzzzz")


def test_find_of_a_broken_method_gives_the_reason(plugin):
    plugin("badplug.bad", **{"card.toml": CARD.replace("year = 2026\n", "")})
    with pytest.raises(UnknownMethod, match=r"the card of 'bad' is broken: .*field 'year' is missing"):
        find("bad")


def test_find_of_a_name_of_two_families_asks_which(plugin):
    plugin()
    plugin("otherplug.toy", **{"card.toml": CARD.replace('"theory"', '"agents"')})
    with pytest.raises(UnknownMethod, match="name of several methods: agents/toy, theory/toy"):
        find("toy")


def test_listing_cards_imports_no_method_and_nothing_heavy(plugin):
    plugin()
    program = (
        "import json, sys; from assay import catalogue; found, broken = catalogue.cards();"
        "print(json.dumps([[card.name for card in found], sorted(sys.modules)]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    found, modules = json.loads(done.stdout)
    assert {"theory/toy", BUILT_IN} <= set(found)
    unwanted = ("assay.methods", "toyplug", "numpy", "scipy", "pandas", "sklearn", "rich", "typer")
    assert [name for name in modules if name.startswith(unwanted)] == []


# --- what is installed -------------------------------------------------------------------------------------------


def test_studies_of_a_plugin(plugin):
    plugin()
    (study,) = catalogue.studies(find("toy"))
    assert study.name == "toy"


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        (None, CardError, "there is no study.py; write one"),
        ("STUDIES = ()", CardError, "STUDIES must be a tuple of studies"),
        ("STUDIES = []", CardError, "STUDIES must be a tuple of studies"),
        ("import no_such_package", MissingExtra, "needs the package no_such_package"),
    ],
)
def test_a_study_that_cannot_be_had_says_why(plugin, text, error, says):
    plugin(**{"study.py": text})
    with pytest.raises(error, match=says):
        catalogue.studies(find("toy"))


def test_a_missing_extra_is_named_with_its_install_line(plugin, monkeypatch):
    plugin(**{"card.toml": f'extra = "theory"\n{CARD}'})
    lines = [
        "numpy>=2",
        "no-such-package>=1; extra == 'theory'",
        "numpy>=99; extra == 'theory'",
        "other; extra == 'vision'",
    ]
    monkeypatch.setattr(catalogue.metadata, "requires", lambda name: lines)
    card = find("toy")
    assert catalogue.extra_missing(card) == ["no-such-package>=1", "numpy>=99"]
    with pytest.raises(
        MissingExtra, match=r"theory/toy needs no-such-package>=1, numpy>=99: pip install 'assay\[theory\]'"
    ):
        catalogue.studies(card)


def test_installed_looks_without_importing():
    assert catalogue.installed("json")
    assert not catalogue.installed("no_such_package")
    assert not catalogue.installed("no_such_package.part")
