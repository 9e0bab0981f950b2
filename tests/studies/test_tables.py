"""Wording and tables: exact numbers and sentences, and no input that could break a table or a terminal."""

import dataclasses
import io
import itertools
import math
import re

import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console
from strict_html import Page

from assay.claims.claim import Claim, Reported
from assay.claims.effects import Cases, Outcome, Ratio, Rows, Rule
from assay.claims.verdict import WORDS, Verdict, judge
from assay.studies.ledger import Ledger, Line, untested
from assay.studies.study import Series, Trial
from assay.studies.tables import cell, ledger_html, ledger_markdown, lost, md, metric_table, tally, verdict_table
from assay.studies.wording import (
    WORDS_IN_SHORT,
    clean,
    details,
    explained,
    listed,
    measured,
    number,
    ratio,
    remarks,
    reported,
    reported_all,
    tone,
    without_paths,
)

HOSTILE = "<script>alert('1')</script> \"q\" | ` * _ [x](y) ]]> & $a$ ~b~ \\ \x00 \x1b[31m \u202e \ud800 [bold]\n# next"
SHOWN = (
    "<script>alert('1')</script> \"q\" | ` * _ [x](y) ]]> & $a$ ~b~ \\ \ufffd \ufffd[31m \ufffd \ufffd [bold] # next"
)


def line(says="It is better.", kind="more", id="better", reported=(), by="paper", replaces=None, verdict=None, **rest):
    claim = Claim(id, says, kind, reported=tuple(reported), by=by, replaces=replaces)
    verdict = verdict or Verdict("consistent", mean=0.5, low=0.25, high=0.75, n=8, margin=0.1)
    return Line(**{**dict(method="privacy/toy", basis="paper", claim=claim, verdict=verdict, **RUN), **rest})


RUN = {
    "study": "map",
    "test": "toy",
    "arm": "toy",
    "scale": "small",
    "against": ("plain",),
    "run": "privacy.toy.map.small.0123456789ab",
}


# --- numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0, "0"),
        (48.2, "48.2"),
        (-0.02, "-0.0200"),
        (0.000123, "0.000123"),
        (9.999, "10.00"),
        (123456.7, "123457"),
        (1234567.0, "1.23e+06"),
        (-0.00001234, "-1.23e-05"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
        (math.nan, "nan"),
        (5e-324, "4.94e-324"),
    ],
)
def test_numbers(x, text):
    assert number(x) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.262, "1.30x"),
        (math.log(1.1), "1.10x"),
        (math.log(1.54), "1.54x"),
        (math.log(1.02), "1.02x"),
        (math.log(1.002), "1.002x"),
        (math.log(0.85), "0.850x"),
        (math.log(0.998), "0.998x"),
        (0, "1.00x"),
        (math.log(12.34), "12.3x"),
        (math.log(0.05), "0.0500x"),
        (math.log(10.0) * 400, "1e+400x"),
        (-math.log(10.0) * 400, "1e-400x"),
        (math.inf, "∞"),
        (-math.inf, "0x"),
        (math.nan, "nan"),
    ],
)
def test_log_effects_are_shown_as_ratios(x, text):
    assert ratio(x) == text


def test_an_effect_with_its_interval():
    log = Verdict("reproduced", mean=0.262, low=math.log(1.1), high=math.log(1.54), n=8, margin=math.log(1.02))
    assert measured(line(verdict=log, measured_on="log")) == "1.30x [1.10x, 1.54x]"
    plain = Verdict("consistent", mean=48.2, low=36.7, high=59.7, n=5)
    assert measured(line(verdict=plain)) == "48.2 [36.7, 59.7]"
    loose = Verdict("unfit", mean=0.5, low=None, high=None)
    assert measured(line(verdict=loose)) == "0.500 [-∞, ∞]"
    assert measured(line(verdict=loose, measured_on="log")) == "1.65x [0x, ∞]"
    assert measured(line(verdict=untested("no data"))) == ""


@pytest.mark.parametrize(
    ("verdict", "text"),
    [
        (Verdict("consistent", n=5000), "no confirmed violation in 5000 cases"),
        (Verdict("inconclusive", "1 of 300 cases", n=1), "no confirmed violation in 1 case"),
        (Verdict("contradicted", "1 of 5000 cases", n=5000), "violations found in 5000 cases"),
        (Verdict("unfit", "x", n=9, notes=("counterexample: 3",)), "9 cases checked"),
        (Verdict("untested", "x"), ""),
    ],
)
def test_what_always_counted(verdict, text):
    assert measured(line(kind="always", verdict=verdict)) == text


def test_details_name_everything_the_verdict_rests_on():
    verdict = Verdict(
        "reproduced", mean=0.3, low=0.2, high=0.4, level=0.98, n=16, margin=math.log(1.02), reported=0.215
    )
    shown = details(line(verdict=verdict, measured_on="log", compares="magnitude", of="authors"))
    assert shown == ["n = 16", "98 %", "d = 1.02x", "R = 1.24x", "scale small", "magnitude", "the authors' procedure"]
    assert details(line(verdict=untested("x"), run="")) == []


# --- what the paper reports ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (Reported(24.0, "%", "Table 2", "up to", version="accepted"), "up to 24 %, Table 2 (accepted)"),
        (Reported(0.93), "0.93"),
        (Reported(0.12, "MAE", "Figure 3", source="plot", version="v2"), "0.12 MAE, Figure 3 (read off a plot, v2)"),
        (Reported(None, words="always the best", version="submission"), "always the best (submission)"),
        (Reported(1e-7, bound="about", source="notes"), "about 1e-07 (from notes)"),
        (Reported(3, "x", words="on one machine", source="code"), "3 x; on one machine (in the code)"),
        (Reported(123456789.0), "123456789"),
    ],
)
def test_reported_values_keep_the_papers_digits(entry, text):
    assert reported(entry) == text


def test_claims_without_a_number_and_those_of_our_own():
    assert reported_all(Claim("a", "A.", "more")) == ["no number"]
    assert reported_all(Claim("a", "A.", "more", by="us")) == ["our own check"]


def test_both_wordings_of_a_claim_point_at_each_other():
    old, new = Claim("old", "It wins.", "more"), Claim("new", "It is equal.", "keeps", replaces="old")
    assert remarks(new, [old, new]) == ["replaces the older wording old: “It wins.”"]
    assert remarks(new, []) == ["replaces the older wording old"]
    assert remarks(old, [old, new]) == ["older wording, replaced by new"]
    assert remarks(Claim("c", "C.", "more", by="us"), []) == ["a check of our own, left out of totals"]


# --- sentences ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("word", "kind"), [*itertools.product(WORDS, ("more", "keeps", "always"))])
def test_every_verdict_has_a_sentence(word, kind):
    for verdict in (Verdict(word, margin=0.02), Verdict(word, "why", mean=1.0, low=0.5, high=2.0, margin=0.02)):
        said = explained(line(kind=kind, verdict=verdict))
        assert re.fullmatch(r"[A-Z].*[.)]", said)
        assert ("why" in said) == (verdict.reason == "why")
        assert "None" not in said


def test_every_word_has_a_meaning_and_a_direction():
    assert set(WORDS_IN_SHORT) == set(WORDS)
    assert [tone(word) for word in ("reproduced", "weaker", "absent", "unspecific", "unfit", "untested")] == [
        "supports",
        "supports",
        "refutes",
        "refutes",
        "open",
        "open",
    ]


@pytest.mark.parametrize(
    ("effects", "margin", "words"),
    [
        ([41, 55, 38, 60, 47], 10, "at least 80 % of the reported"),
        ([10, 95, -20, 120, 30], 10, "holds no effect as well as effects that would matter"),
        ([0.4, 0.6, 0.5], 0.1, "fewer than 5 trials"),
        ([0.01, -0.02, 0, 0.02, -0.01], 0.03, "lies below the margin of 0.03"),
        ([-0.3, -0.5, -0.4, -0.2, -0.45], 0.05, "goes the other way"),
        ([1.0, 1.0, 1.0, 1.0, 1.0], 0.05, "Undecided: no spread"),
        ([1, 2, 3, 4, 5, 6], 0.1, "only at the planned number"),
    ],
)
def test_sentences_of_real_verdicts(effects, margin, words):
    rule = Rule("more", margin, planned=5, compares="magnitude", reported=46.0)
    verdict = judge(rule, Outcome({"": [float(e) for e in effects]}))
    assert words in explained(line(verdict=verdict, compares="magnitude"))


def test_the_deciding_regime_is_told_from_the_reason():
    verdict = Verdict("consistent", "a: b: magnitude open", mean=1.0, low=0.5, high=2.0, reported=1.0)
    said = explained(line(verdict=verdict, compares="magnitude"), ["a", "a: b"])
    assert said.endswith("It is not settled whether it reaches the reported size. The regime that decides: a: b.")
    only = explained(line(verdict=dataclasses.replace(verdict, word="absent", reason="a", margin=0.1)), ["a"])
    assert only.endswith("lies below the margin of 0.1. The regime that decides: a.")


def test_listed():
    assert [listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


# --- text ---------------------------------------------------------------------------------------------------------


def test_clean_leaves_nothing_to_obey():
    assert clean(HOSTILE) == SHOWN
    assert clean(" a\u00a0\u3000b\r\n\tc ") == "a b c"
    assert clean("Grüße 中文 e\u0301") == "Grüße 中文 e\u0301"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("/home/someone/runs/a/run.json: line 3", "a/run.json: line 3"),
        ("cannot read '/etc/passwd'", "cannot read 'passwd'"),
        (r"C:\Users\me\runs\x.json is bad", "runs/x.json is bad"),
        ("rate below 3/480, n_test / n_train, and/or https://example.org/a/b/c", None),
        ("(/tmp/x/y/z.py)", "(y/z.py)"),
    ],
)
def test_absolute_paths_are_shortened(text, short):
    assert without_paths(text) == (text if short is None else short)


# --- LEDGER.md ----------------------------------------------------------------------------------------------------


@pytest.fixture
def book():
    """A ledger with every sort of line."""
    some = [
        line(
            "Errors are lower.",
            id="lower",
            reported=[Reported(24, "%", "Table 2", "up to", version="accepted"), Reported(0.2, version="submission")],
            replaces="lowest",
            stand_in="diamonds in place of Criteo.",
            verdict=Verdict("weaker", "rough", 0.1, 0.05, 0.15, n=8, margin=math.log(1.02), notes=("mean of 2",)),
            measured_on="log",
        ),
        line("It holds.", id="holds", test="other", kind="keeps", verdict=Verdict("contradicted", n=8, margin=0.1)),
        line("It is ours.", id="ours", by="us"),
    ]
    regimes = [dataclasses.replace(some[0], regime=regime) for regime in ("calm", "rough | <b>")]
    return Ledger(
        (
            *some,
            *regimes,
            line("Errors are lowest.", id="lowest", verdict=untested("no study tests it"), run="", test="", arm=""),
            line("It holds.", id="holds", superseded=True, run="privacy.toy.map.small.ffffffffffff"),
            line(method="theory/other", basis="abstract", verdict=untested("needs a GPU"), run=""),
        ),
        ("/home/someone/runs/a/run.json: line 3: bad",),
    )


def tables(markdown):
    """The tables of a Markdown text, as lists of rows of cells."""
    found, rows = [], []
    for text in [*markdown.splitlines(), ""]:
        if text.startswith("|"):
            rows.append([part.strip() for part in re.split(r"(?<!\\)\|", text)[1:-1]])
        elif rows:
            found.append(rows)
            rows = []
    return found


def test_the_ledger_in_markdown(book):
    text = ledger_markdown(book)
    assert text.startswith("# Ledger\n\n2 tests; about 0.05 false directions expected if nothing worked.\n")
    assert [row for row in text.splitlines() if row.startswith("#")] == [
        "# Ledger",
        "## privacy/toy",
        "### Checks of our own (not in the totals)",
        "### Superseded",
        "## theory/other",
        "## What could not be read",
    ]
    assert "Basis: paper. Stand-in: diamonds in place of Criteo.\n" in text
    claims, ours, regimes, other = tables(text)
    assert claims[0] == ["claim", "reported", "measured", "verdict", "how", "run"]
    assert claims[2] == [
        "**lower** Errors are lower.<br>*replaces the older wording lowest*",
        "up to 24 %, Table 2 (accepted)<br>0.2 (submission)",
        "1.11x [1.05x, 1.16x]<br>against plain",
        "**weaker** (rough)<br>of 2 regimes: 2 weaker<br>*mean of 2*",
        "n = 8, 95 %, d = 1.02x, scale small, direction, our code",
        "map 0123456789ab",
    ]
    assert claims[3][0] == "**holds** It holds.<br>*with other*"
    assert claims[4][:1] + claims[4][3:] == [
        "**lowest** Errors are lowest.",
        "**untested** (no study tests it)",
        "-",
        "-",
    ]
    assert len(claims) == 5
    assert [row[0] for row in ours[2:]] == ["**ours** It is ours."]
    assert [row[0] for row in regimes[2:]] == ["calm", r"rough \| &lt;b&gt;"]
    assert "<details><summary>2 regimes of lower · toy</summary>\n\n|" in text
    assert "- It holds. (map ffffffffffff): superseded, was consistent\n" in text
    assert other[2][3] == "**untested** (needs a GPU)"
    assert "- a/run.json: line 3: bad\n" in text
    assert "/home" not in text


def test_every_table_has_as_many_cells_in_each_row(book):
    for rows in tables(ledger_markdown(hostile(book))):
        assert len({len(row) for row in rows}) == 1


def test_the_same_ledger_gives_the_same_bytes(book):
    assert ledger_markdown(book) == ledger_markdown(dataclasses.replace(book))
    assert ledger_html(book) == ledger_html(dataclasses.replace(book))


def test_an_empty_ledger():
    assert ledger_markdown(Ledger(())).startswith("# Ledger\n\n0 tests; about 0 false directions expected")
    Page(ledger_html(Ledger(())))


def hostile(book):
    """The same ledger with hostile text in every field that takes text."""

    def bad(one):
        claim = one.claim
        entries = tuple(Reported(1.0, HOSTILE, HOSTILE, version=HOSTILE, words=HOSTILE) for _ in range(2))
        claim = dataclasses.replace(claim, id=claim.id + HOSTILE, says=HOSTILE + "x" * 10_000, reported=entries)
        verdict = dataclasses.replace(one.verdict, reason=HOSTILE, notes=(HOSTILE, "# a", "1. b", "- c"))
        fields = dict.fromkeys(("method", "basis", "study", "test", "stand_in", "scale", "arm", "run"), HOSTILE)
        return dataclasses.replace(
            one, claim=claim, verdict=verdict, regime=HOSTILE if one.regime else "", against=(HOSTILE,), **fields
        )

    return Ledger(tuple(bad(one) for one in book.lines), (HOSTILE,))


def test_hostile_text_stays_text_in_markdown(book):
    text = ledger_markdown(hostile(book))
    rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    page = Page(rendered)
    known = "h1 h2 h3 p ul li table thead tbody tr th td strong em br details summary code"
    assert page.tags <= set(known.split(" "))
    assert re.findall("<code>(.*?)</code>", rendered) == ["always", "assay ledger --write LEDGER.md"]
    assert SHOWN in page.text
    assert page.links == []
    assert [heading for level, heading in page.headings if level == 1] == ["Ledger"]


@pytest.mark.parametrize(
    "text",
    [HOSTILE, "# a", "#", "- a", "+ a", "1. a", "12) a", "===", "---", "*a*", "__a__", "![a](b)", "&lt;", "1.5 a"],
)
@pytest.mark.parametrize("frame", ["{}", "- {}", "| a |\n| --- |\n| {} |"])
def test_escaped_text_is_shown_as_it_is(text, frame):
    source = frame.format(md(text))
    page = Page(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(source))
    assert page.text.removeprefix("a ") == clean(text)
    assert page.headings == []


# --- terminal and notebook ----------------------------------------------------------------------------------------


def printed(table, width=80):
    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None, legacy_windows=False).print(table)
    return stream.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_table_fits(book, width):
    for ledger in (book, hostile(book)):
        for regimes in (False, True):
            text = printed(verdict_table(ledger.lines, regimes=regimes), width)
            assert max(cell_len(row) for row in text.splitlines()) <= width
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text)


def test_the_terminal_table_says_it_all(book):
    text = printed(verdict_table(book.lines), 200)
    for words in ("privacy/toy", "basis: abstract", "up to 24 %, Table 2", "1.11x [1.05x, 1.16x]", "2 weaker"):
        assert words in text
    assert "superseded, was consistent" in text
    assert "above 1x favours the claim" in text
    assert "calm" not in text
    full = printed(verdict_table(book.lines, regimes=True), 200)
    assert "· calm" in full
    assert "· rough | <b>" in full


def test_the_tally_counts_worst_first():
    verdicts = [dataclasses.replace(line("x").verdict, word=word) for word in ("weaker", "absent", "weaker")]
    lines = [dataclasses.replace(line("x"), verdict=verdict) for verdict in verdicts]
    assert tally(lines) == "of 3 regimes: 1 absent, 2 weaker"


def test_a_claim_tested_twice_is_written_once():
    lines = [line("Said once.", test=test) for test in ("first", "second")]
    text = printed(verdict_table(lines), 120)
    assert text.count("Said once.") == 1
    assert "first" in text
    assert "second" in text


def test_markup_of_the_terminal_is_not_obeyed():
    text = printed(verdict_table([line("[bold]loud[/bold] [link=x]y[/link] :smile:")]), 200)
    assert "[bold]loud[/bold] [link=x]y[/link] :smile:" in text


def test_the_ledger_in_a_notebook(book):
    page = Page(ledger_html(book))
    for words in ("2 tests; about", "Errors are lower.", "1.11x [1.05x, 1.16x]", "superseded, was consistent"):
        assert words in page.text
    assert "lower · toy: 2 regimes" in page.text
    bad = Page(ledger_html(hostile(book)))
    assert SHOWN in bad.text
    assert bad.links == []


# --- metrics of a run ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], ""),
        ([1.0], "1.00"),
        ([1.0, 2.0, 3.0], "2.00 ± 1.00"),
        ([1.0, math.nan, 3.0], "2.00 ± 1.41; 1 not finite"),
        ([math.inf], "1 not finite"),
        ([Rows((1.0, 3.0)), Rows((3.0, 5.0))], "3.00 ± 1.41"),
        ([Ratio(1.0, 2.0), Ratio(2.0, 4.0)], "0.500 (pooled)"),
        ([Ratio(1.0, 0.0)], "no denominator"),
        ([Cases(10, 2, 1), Cases(20, 0, 0)], "2 of 30 cases violated, 1 confirmed"),
        ([Series((1.0,), (2.0,)), Series((1.0,), (2.0,))], "2 curves"),
        (["lbfgs", "lbfgs", "sgd"], "lbfgs; sgd"),
    ],
)
def test_a_metric_over_seeds(values, text):
    assert cell(values) == text


def trial(regime, seed, arms=None, failed=None, missing=None):
    return Trial(regime, seed, arms or {}, failed or {}, missing or {})


def test_the_table_of_metrics():
    trials = [
        trial("calm", 0, {"a": {"x": 1.0}, "b": {"x": 5.0, "y": 0.5}}),
        trial("calm", 1, {"a": {"x": 3.0}}, failed={"b": "no"}),
        trial("rough", 0, {"b": {"y": 1.5}}),
    ]
    table = metric_table(trials, {("calm", "a"): 0.25})
    assert table["metrics"] == ["x", "y"]
    assert table["regimes"] == {
        "calm": [
            {"arm": "a", "n": 2, "cells": ["2.00 ± 1.41", ""], "seconds": "0.250"},
            {"arm": "b", "n": 1, "cells": ["5.00", "0.500"], "seconds": ""},
        ],
        "rough": [{"arm": "b", "n": 1, "cells": ["", "1.50"], "seconds": ""}],
    }


def test_lost_arms_are_grouped_by_reason():
    trials = [
        trial("calm", 0, failed={"a": "x: /home/me/a/b.py"}, missing={"p": "pip install p"}),
        trial("calm", 1, failed={"a": "y"}, missing={"p": "pip install p"}),
        trial("calm", 2, failed={"a": "y"}, missing={"p": "pip install p"}),
        trial("calm", 4, failed={"a": "y"}, missing={"p": "pip install p"}),
        trial("rough", 0, failed={"a": "x: /home/me/a/b.py"}, missing={"p": "pip install p"}),
    ]
    assert lost(trials) == [
        {"arm": "a", "state": "failed", "why": "x: a/b.py", "n": 2, "where": "seed 0 of calm; rough"},
        {"arm": "p", "state": "missing", "why": "pip install p", "n": 5, "where": "every trial"},
        {"arm": "a", "state": "failed", "why": "y", "n": 3, "where": "seeds 1, 2, 4 of calm"},
    ]
    assert lost([]) == []
