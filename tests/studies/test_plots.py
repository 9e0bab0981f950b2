"""Plots: the rows behind each chart are exact, and the SVG is inert text that fits its page."""

import math

import altair as alt
import pytest
from strict_html import Page

from assay.claims.claim import Claim
from assay.claims.effects import Rows
from assay.claims.verdict import Verdict
from assay.studies import plots
from assay.studies.ledger import Line
from assay.studies.study import Series, Trial

HOSTILE = "<script>alert('1')</script> \"q\" | ` ]]> &amp; </style> \x1b[31m \u202e\nnext"


def effect_line(mean, low, high, regime="", word="consistent", on="difference", kind="more", **rest):
    verdict = Verdict(
        word, mean=mean, low=low, high=high, margin=rest.pop("margin", 0.1), n=8, reported=rest.pop("r", None)
    )
    claim = Claim("c", "C.", kind)
    return Line("privacy/toy", "paper", claim, verdict, regime=regime, measured_on=on, run="r", test="t", **rest)


def data(chart):
    """All rows in a chart."""
    spec = chart.to_dict()
    found = [row for rows in spec.get("datasets", {}).values() for row in rows]
    assert found or "values" in str(spec)
    return found


def test_the_interval_plot_holds_every_regime():
    lines = [effect_line(0.5, 0.4, 0.6), *(effect_line(0.5, 0.4, 0.6, f"regime {i}") for i in range(28))]
    rows = [row for row in data(plots.effects(lines)) if "word" in row]
    assert {row["row"] for row in rows} == {"all: the worst", *(f"regime {i}" for i in range(28))}
    svg = plots.svg(plots.effects(lines), "label")
    for i in range(28):
        assert f">regime {i}<" in svg


def test_an_unbounded_or_huge_interval_is_cut_and_marked():
    lines = [effect_line(0.5, 0.4, 0.6, "a"), effect_line(0.4, None, 1e9, "b"), effect_line(None, None, None, "c")]
    rows = {row["row"]: row for row in data(plots.effects(lines)) if "word" in row}
    assert (rows["a"]["low_cut"], rows["a"]["high_cut"]) == (False, False)
    assert (rows["b"]["low_cut"], rows["b"]["high_cut"]) == (True, True)
    assert rows["b"]["high"] < 5
    assert rows["c"]["x"] is None
    Page(plots.svg(plots.effects(lines), "label"))


def test_margin_and_reported_value_are_marked():
    rows = data(plots.effects([effect_line(0.5, 0.4, 0.6, r=0.45)]))
    assert {"x": -0.1, "to": 0.1} in rows
    assert {"x": 0.45, "text": "reported"} in rows
    assert "reported" not in plots.svg(plots.effects([effect_line(0.5, 0.4, 0.6)]), "label")


def test_nothing_to_plot():
    assert plots.effects([]) is None
    assert plots.effects([effect_line(None, None, None), effect_line(None, None, None, kind="always")]) is None
    assert plots.curves([]) == {}
    assert plots.metrics([]) == {}


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.9, 1.3, [0.9, 1.0, 1.1, 1.2, 1.3]),
        (0.995, 1.004, [0.996, 0.998, 1.0, 1.002, 1.004]),
        (0.4, 4.5, [0.4, 0.5, 0.7, 1, 1.5, 2, 3, 4]),
        (1e-2, 10.0, [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]),
        (1e-9, 1e9, [1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9]),
    ],
)
def test_round_factors_on_a_log_axis(low, high, ticks):
    found = plots._ratio_ticks(math.log(low) - 1e-12, math.log(high) + 1e-12)
    if len(ticks) > 9:
        ticks = [tick for tick in ticks if math.log10(tick) == round(math.log10(tick))]
    assert found == pytest.approx(ticks)


def curve_trial(seed, x, y, regime="all", arm="toy"):
    return Trial(regime, seed, {arm: {"loss": Series(x, y, "step", "loss")}}, {}, {})


def test_curves_are_the_mean_in_a_band():
    trials = [curve_trial(0, (0.0, 1.0), (1.0, 4.0)), curve_trial(1, (0.0, 1.0), (3.0, 2.0))]
    chart = plots.curves(trials)["loss"]
    rows = sorted(data(chart), key=lambda row: row["order"])
    assert [(row["x"], row["low"], row["mean"], row["high"]) for row in rows] == [(0, 1, 2, 3), (1, 2, 3, 4)]


def test_curves_with_a_seed_that_is_not_finite_have_a_gap():
    trials = [curve_trial(0, (0.0, 1.0), (1.0, math.nan)), curve_trial(1, (0.0, 1.0), (3.0, 2.0))]
    rows = sorted(data(plots.curves(trials)["loss"]), key=lambda row: row["order"])
    assert [row["mean"] for row in rows] == [2.0, None]
    plots.svg(plots.curves(trials)["loss"], "label")


def test_curves_on_other_grids_are_interpolated_where_both_are():
    trials = [curve_trial(0, (0.0, 2.0), (0.0, 2.0)), curve_trial(1, (3.0, 1.0), (3.0, 1.0))]
    rows = data(plots.curves(trials)["loss"])
    assert min(row["x"] for row in rows) == 1.0
    assert max(row["x"] for row in rows) == 2.0
    for row in rows:
        assert row["low"] == pytest.approx(row["x"])
        assert row["high"] == pytest.approx(row["x"])


def test_curves_that_share_no_range_are_left_out():
    trials = [curve_trial(0, (0.0, 1.0), (0.0, 1.0)), curve_trial(1, (2.0, 3.0), (0.0, 1.0)), curve_trial(2, (), ())]
    assert plots.curves(trials) == {}


@pytest.mark.parametrize(("values", "kind"), [((1.0, 90.0), None), ((1.0, 101.0), "log"), ((0.0, 500.0), None)])
def test_a_metric_over_two_decades_gets_a_log_axis(values, kind):
    trials = [Trial("all", i, {"toy": {"x": value}}, {}, {}) for i, value in enumerate(values)]
    spec = plots.metrics(trials)["x"].to_dict()
    assert spec["layer"][0]["encoding"]["x"]["scale"].get("type") == kind


def test_metrics_show_seeds_range_and_mean_of_every_arm_and_regime():
    trials = [
        Trial(regime, seed, {arm: {"x": float(seed), "rows": Rows((1.0, 2.0)), "word": "no"} for arm in "ab"}, {}, {})
        for regime in ("calm", "rough")
        for seed in range(3)
    ]
    charts = plots.metrics(trials)
    assert list(charts) == ["x", "rows"]
    rows = data(charts["x"])
    mine = [row for row in rows if (row["regime"], row["arm"]) == ("rough", "b")]
    assert sorted((row["kind"], row["x"], row["to"]) for row in mine if row["kind"] != "seed") == [
        ("mean", 1.0, None),
        ("range", 0.0, 2.0),
    ]
    assert sorted(row["x"] for row in mine if row["kind"] == "seed") == [0.0, 1.0, 2.0]
    assert len(rows) == 4 * 5


def test_metrics_that_are_never_finite_have_no_plot():
    assert plots.metrics([Trial("all", 0, {"toy": {"x": math.nan}}, {}, {})]) == {}


def test_names_that_look_alike_stay_apart():
    trials = [Trial(regime, 0, {"toy": {"x": 1.0}}, {}, {}) for regime in ("y" * 10_000, "y" * 9_999, "y" * 80)]
    regimes = {row["regime"] for row in data(plots.metrics(trials)["x"])}
    assert regimes == {"y" * 79 + "…", "y" * 79 + "… (1)", "y" * 80}


def test_an_svg_has_no_ids_no_namespaces_and_escaped_text():
    lines = [effect_line(0.5, 0.4, 0.6, HOSTILE), effect_line(0.5, 0.4, 0.6, "it's")]
    chart = plots.effects(lines)
    text = plots.svg(chart, HOSTILE)
    page = Page(text)
    assert page.ids == []
    assert "http" not in text
    assert "currentColor" in text
    assert text == plots.svg(plots.effects(lines), HOSTILE)
    assert isinstance(chart, alt.VConcatChart)
