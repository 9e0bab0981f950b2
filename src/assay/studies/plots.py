"""Charts of a run as functions of its lines and trials: effects with intervals, curves over seeds, every metric.

Each function returns Altair charts with their data inside. `svg` draws one as static SVG, offline and always with the
same bytes; text takes the colour of the page around it, and marks keep to tones that read on white and on black.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from assay.claims.effects import Rows
from assay.studies.ledger import Line
from assay.studies.study import Metric, Series, Trial
from assay.studies.wording import clean, tone

Row = dict[str, Any]
Chart = alt.LayerChart | alt.FacetChart

GREY = "#7d848c"
TONES = {"supports": "#16877a", "open": GREY, "refutes": "#9163b6"}
_SYMBOLS = {"supports": ("circle", 60), "open": ("square", 50), "refutes": ("diamond", 110)}
_TOGETHER = {"all": "all: the worst", "mean": "all: the mean", "some": "all: the best"}
# Ours: eight tones with a contrast of at least 3 to 1 on white and on near-black; more arms repeat them with dashes.
PALETTE = ("#3579b8", "#c2611f", "#16877a", "#b0528c", "#8a7a1c", "#7a68c8", "#4f8a2f", GREY)
_DASHES = ([1, 0], [6, 3], [2, 2])
_MOST_DOTS = 1500
_MOST_CURVE_POINTS = 6_000
_WIDTH = 520


# --- effects ------------------------------------------------------------------------------------------------------


def effects(lines: Sequence[Line]) -> alt.VConcatChart | None:
    """An interval plot, a panel per claim and test: every regime's effect, the margin, no effect, and what is reported.

    None where no line has an effect (untested claims, and those of the kind `always`).
    """
    panels: dict[tuple[str, ...], list[Line]] = {}
    for line in lines:
        if line.claim.kind != "always":
            panels.setdefault((line.method, line.run, line.claim.id, line.test), []).append(line)
    drawn = [_panel(mine) for mine in panels.values() if any(line.verdict.mean is not None for line in mine)]
    return alt.vconcat(*drawn, spacing=28) if drawn else None


def _panel(lines: Sequence[Line]) -> Chart:
    first = lines[0]
    several = any(line.regime for line in lines)
    labels = _labels(line.regime for line in lines if line.regime)
    names = [labels.get(line.regime, _TOGETHER[line.over] if several else "effect") for line in lines]
    low, high = _reach(lines)
    together = " || ".join(f"datum.value == '{name}'" for name in _TOGETHER.values())
    bold = alt.condition(together, alt.value("bold"), alt.value("normal"))
    axis = alt.Axis(labelLimit=220, ticks=False, labelFontWeight=bold)
    y = alt.Y("row:N", title=None, scale=alt.Scale(domain=names), axis=axis)
    x = alt.X("x:Q", scale=alt.Scale(domain=[low, high], nice=False, zero=False), axis=_axis(first, low, high))
    layers = [*_marks_behind(lines, x, low, high)]
    rows = [_interval_row(line, name, low, high) for line, name in zip(lines, names, strict=True)]
    colour = alt.Color("tone:N", scale=alt.Scale(domain=list(TONES), range=list(TONES.values())), legend=None)
    found = [row for row in rows if row["x"] is not None]
    base = alt.Chart(_data(found)).encode(y=y, color=colour)
    layers.append(base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q"))
    for name, (symbol, size) in _SYMBOLS.items():
        points = alt.Chart(_data([row for row in found if row["tone"] == name])).encode(x=x, y=y, color=colour)
        layers.append(points.mark_point(filled=True, opacity=1, shape=symbol, size=size))
    for end, sign in (("low", "triangle-left"), ("high", "triangle-right")):
        cut = [row for row in found if row[f"{end}_cut"]]
        if cut:
            chart = alt.Chart(_data(cut)).encode(y=y, color=colour, x=alt.X(f"{end}:Q"))
            layers.append(chart.mark_point(filled=True, size=50, opacity=1, shape=sign))
    words = alt.Chart(_data(rows)).mark_text(align="left", dx=10, fontSize=11)
    layers.append(words.encode(y=y, x=alt.value(_WIDTH), text="word:N"))
    title = " · ".join(_short(part) for part in (first.claim.id, first.test) if part)
    return alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(20), title=title)


def _interval_row(line: Line, name: str, low: float, high: float) -> Row:
    """One row, with ends that lie outside the panel (or nowhere) cut at its edge and marked."""
    verdict = line.verdict
    row: Row = {"row": name, "tone": tone(verdict.word), "word": verdict.word, "x": None}
    if verdict.mean is None:
        return row
    ends = {
        "low": -math.inf if verdict.low is None else verdict.low,
        "high": math.inf if verdict.high is None else verdict.high,
    }
    for end, value in ends.items():
        row[end] = min(max(value, low), high)
        row[f"{end}_cut"] = not low <= value <= high
    return {**row, "x": min(max(verdict.mean, low), high)}


def _reach(lines: Sequence[Line]) -> tuple[float, float]:
    """The panel's ends: all intervals, unless one is so wide that it would flatten the others."""
    verdicts = [line.verdict for line in lines]
    core = [0.0, *(v.mean for v in verdicts if v.mean is not None), *(v.reported for v in verdicts if v.reported)]
    core += [sign * v.margin for v in verdicts if v.margin for sign in (-1, 1)]
    span = max(core) - min(core) or 1.0
    ends = [end for v in verdicts for end in (v.low, v.high) if end is not None]
    low = max(min([*core, *ends]), min(core) - 4 * span)
    high = min(max([*core, *ends]), max(core) + 4 * span)
    return low - 0.04 * (high - low), high + 0.04 * (high - low)


def _marks_behind(lines: Sequence[Line], x: alt.X, low: float, high: float) -> Iterable[alt.Chart]:
    verdict = lines[0].verdict
    if verdict.margin:
        band = [{"x": max(-verdict.margin, low), "to": min(verdict.margin, high)}]
        yield alt.Chart(_data(band)).mark_rect(color=GREY, opacity=0.18).encode(x=x, x2="to:Q")
    yield alt.Chart(_data([{"x": 0.0}])).mark_rule(color=GREY, strokeWidth=1.5).encode(x=x)
    if verdict.reported is not None:
        line = alt.Chart(_data([{"x": verdict.reported, "text": "reported"}])).encode(x=x)
        yield line.mark_rule(color=PALETTE[1], strokeDash=[5, 3], strokeWidth=1.5)
        yield line.mark_text(color=PALETTE[1], fontSize=11, baseline="bottom", dy=-3).encode(
            y=alt.value(0), text="text:N"
        )


def _axis(line: Line, low: float, high: float) -> alt.Axis:
    if line.measured_on != "log":
        return alt.Axis(title="effect (positive favours the claim)", grid=True, tickCount=6)
    ticks = _ratio_ticks(low, high)
    labels = {round(math.log(t), 12): f"{t:.10g}x" for t in ticks}
    expression = " : ".join(f"abs(datum.value - ({at})) < 1e-9 ? '{text}'" for at, text in labels.items())
    return alt.Axis(
        title="ratio (above 1x favours the claim)",
        grid=True,
        values=list(labels),
        labelExpr=f"{expression} : ''" if labels else "''",
    )


def _ratio_ticks(low: float, high: float) -> list[float]:
    """Three to nine round factors between exp(low) and exp(high), 1 among them."""
    spread = (high - low) / math.log(10)
    if spread > 3:
        step = math.ceil(spread / 7)
        first, last = math.ceil(low / math.log(10) / step), math.floor(high / math.log(10) / step)
        return [10.0 ** (k * step) for k in range(first, last + 1) if abs(k * step) < 300]
    a, b = math.exp(low), math.exp(high)
    if b / a > 3:
        for digits in ((1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1,)):
            ticks = [d * 10.0**k for k in range(-4, 5) for d in digits]
            ticks = [t for t in ticks if a <= t <= b]
            if len(ticks) <= 9:
                return ticks
    rough = (b - a) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    width = next(s * unit for s in (1, 2, 2.5, 5, 10) if s * unit >= rough)
    # Counted from 1, so that "no effect" is always one of them.
    return [1 + k * width for k in range(math.ceil((a - 1) / width), math.floor((b - 1) / width) + 1)]


# --- curves -------------------------------------------------------------------------------------------------------


def curves(trials: Sequence[Trial]) -> dict[str, Chart]:
    """A chart per metric that is a curve: the mean over seeds, in a band from the smallest seed to the largest.

    Seeds whose x differ are interpolated linearly on the range they share; curves that share none are not drawn. Where
    any seed is not finite, the line has a gap.
    """
    found = _gathered(trials, Series)
    return {metric: chart for metric, groups in found.items() if (chart := _curve_chart(metric, groups)) is not None}


def _curve_chart(metric: str, groups: Mapping[tuple[str, str], Sequence[Series]]) -> Chart | None:
    regimes, arms = _labels(regime for regime, _ in groups), _labels(arm for _, arm in groups)
    points = max(20, _MOST_CURVE_POINTS // len(groups))
    rows = [
        {"regime": regimes[regime], "arm": arms[arm], **point}
        for (regime, arm), seeds in groups.items()
        for point in _band(seeds, points)
    ]
    if not rows:
        return None
    first = next(iter(groups.values()))[0]
    colours = [PALETTE[i % len(PALETTE)] for i in range(len(arms))]
    dashes = [_DASHES[i // len(PALETTE) % len(_DASHES)] for i in range(len(arms))]
    legend = alt.Legend(
        title=None,
        orient="top",
        columns=4,
        labelLimit=180,
        symbolType="stroke",
        symbolOpacity=1,
        symbolStrokeWidth=2.5,
        symbolSize=250,
    )
    y_scale = _scale([row[key] for row in rows for key in ("low", "high")])
    base = alt.Chart().encode(
        x=alt.X("x:Q", title=_short(first.x_label) or None, scale=_scale([row["x"] for row in rows])),
        color=alt.Color("arm:N", scale=alt.Scale(domain=list(arms.values()), range=colours), legend=legend),
    )
    name = _short(first.y_label) or _short(metric)
    band = base.mark_area(opacity=0.16).encode(y=alt.Y("low:Q", title=name, scale=y_scale), y2="high:Q")
    line = base.mark_line(strokeWidth=1.8).encode(
        y=alt.Y("mean:Q", title=name, scale=y_scale),
        order="order:Q",
        strokeDash=alt.StrokeDash("arm:N", scale=alt.Scale(domain=list(arms.values()), range=dashes), legend=legend),
    )
    return _faceted(alt.layer(band, line), rows, width=210, height=130)


def _band(seeds: Sequence[Series], points: int) -> Iterable[Row]:
    usable = [s for s in seeds if s.x]
    if not usable:
        return
    same = all(s.x == usable[0].x for s in usable)
    if same:
        kept = _thin(len(usable[0].x), points)
        grid = np.asarray(usable[0].x)[kept]
        values = np.asarray([np.asarray(s.y)[kept] for s in usable])
    else:
        ordered = [np.asarray(sorted(zip(s.x, s.y, strict=True))).T for s in usable]
        low, high = max(x[0] for x, _ in ordered), min(x[-1] for x, _ in ordered)
        grid = np.linspace(low, high, min(points, 200)) if low < high else np.asarray([])
        values = np.asarray([np.interp(grid, x, y) for x, y in ordered])
    for i, x in enumerate(grid):
        column = values[:, i]
        whole = bool(np.all(np.isfinite(column)) and math.isfinite(x))
        ends = (column.min(), column.mean(), column.max()) if whole else (None, None, None)
        names = zip(("low", "mean", "high"), ends, strict=True)
        yield {
            "x": float(x) if math.isfinite(x) else None,
            "order": i,
            **{k: None if v is None else float(v) for k, v in names},
        }


def _thin(n: int, most: int) -> list[int]:
    return list(range(n)) if n <= most else [round(i * (n - 1) / (most - 1)) for i in range(most)]


# --- metrics ------------------------------------------------------------------------------------------------------


def metrics(trials: Sequence[Trial]) -> dict[str, Chart]:
    """A chart per metric that is a number: a dot per seed and a tick at the mean, by arm, a panel per regime.

    The axis is logarithmic where the values span more than two decades. With very many trials a line from the smallest
    seed to the largest stands for the dots. Values that are not finite cannot be drawn; `report` counts them.
    """
    found = _gathered(trials, float)
    return {metric: chart for metric, groups in found.items() if (chart := _metric_chart(metric, groups)) is not None}


def scalar(metric: Metric) -> float | None:
    """The number a metric is, or the mean of its items; None for anything else."""
    if isinstance(metric, Rows):
        return float(np.mean(metric.values)) if metric.values else None
    return float(metric) if isinstance(metric, int | float) else None


def _metric_chart(metric: str, groups: Mapping[tuple[str, str], Sequence[float]]) -> Chart | None:
    kept = {key: [v for v in values if math.isfinite(v)] for key, values in groups.items()}
    kept = {key: values for key, values in kept.items() if values}
    if not kept:
        return None
    regimes, arms = _labels(regime for regime, _ in groups), _labels(arm for _, arm in groups)
    every = [v for values in kept.values() for v in values]
    x = alt.X("x:Q", title=_short(metric), scale=_scale(every), axis=alt.Axis(tickCount=4))
    y = alt.Y(
        "arm:N", title=None, scale=alt.Scale(domain=list(arms.values())), axis=alt.Axis(labelLimit=160, ticks=False)
    )
    rows = [
        {"regime": regimes[regime], "arm": arms[arm], "kind": kind, "x": x, "to": to}
        for (regime, arm), values in kept.items()
        for kind, x, to in [("range", min(values), max(values)), ("mean", sum(values) / len(values), None)]
        + ([("seed", v, None) for v in values] if len(every) <= _MOST_DOTS else [])
    ]
    base = alt.Chart().encode(x=x, y=y)
    layers = [
        base.transform_filter("datum.kind == 'range'").mark_rule(color=GREY, opacity=0.6).encode(x2="to:Q"),
        base.transform_filter("datum.kind == 'mean'").mark_tick(color=PALETTE[0], thickness=2.5, size=12, opacity=1),
    ]
    if len(every) <= _MOST_DOTS:
        dots = base.transform_filter("datum.kind == 'seed'")
        layers.insert(1, dots.mark_circle(color=PALETTE[0], size=22, opacity=0.45))
    return _faceted(alt.layer(*layers), rows, width=210, height=alt.Step(15))


# --- shared -------------------------------------------------------------------------------------------------------


def _short(text: str) -> str:
    """A text that fits beside a chart; the tables of a page hold it whole."""
    plain = clean(text)
    return plain if len(plain) <= 80 else f"{plain[:79]}…"


def _labels(names: Iterable[str]) -> dict[str, str]:
    """A label of its own for each name, also where two of them look alike once shortened."""
    labels: dict[str, str] = {}
    for name in dict.fromkeys(names):
        label = short = _short(name)
        while label in labels.values():
            label = f"{short} ({len(labels)})"
        labels[name] = label
    return labels


def _gathered(trials: Sequence[Trial], kind: type) -> dict[str, dict[tuple[str, str], list[Any]]]:
    """Values by metric, then by (regime, arm), in the order they first come."""
    found: dict[str, dict[tuple[str, str], list[Any]]] = {}
    for trial in trials:
        for arm, values in trial.arms.items():
            for metric, value in values.items():
                curve = value if isinstance(value, Series) else None
                wanted: Any = curve if kind is Series else scalar(value)
                if wanted is not None:
                    found.setdefault(metric, {}).setdefault((trial.regime, arm), []).append(wanted)
    return found


def _scale(values: Iterable[float | None]) -> alt.Scale:
    """Logarithmic where all values are above 0 and span more than two decades; else linear, not forced to hold 0."""
    finite = [v for v in values if v is not None and math.isfinite(v)]
    if finite and min(finite) > 0 and max(finite) / min(finite) > 100:
        return alt.Scale(type="log", nice=False)
    return alt.Scale(zero=False)


def _faceted(chart: Chart, rows: Sequence[Row], width: int, height: Any) -> Chart:
    """The chart with its data, a panel per regime where there are several."""
    regimes = list(dict.fromkeys(row["regime"] for row in rows))
    drawn: Chart = chart.properties(width=width * (2 if len(regimes) == 1 else 1), height=height)
    if len(regimes) > 1:
        header = alt.Header(title=None, labelLimit=width, labelFontWeight="bold", labelAnchor="start")
        facet = alt.Facet("regime:N", sort=regimes, header=header)
        drawn = drawn.facet(data=_data([]), facet=facet, columns=3).resolve_axis(x="independent")
    drawn.data = _data(rows)  # last, since Altair copies the data of a chart with every step
    return drawn


def _data(rows: Sequence[Row]) -> dict[str, Any]:
    return {"values": list(rows)}


_CONFIG: dict[str, Any] = {
    "background": "transparent",
    "aria": False,
    # Fonts of the same widths everywhere, so that labels drawn by a browser take the room they were given.
    "font": "Arial, Helvetica, 'Liberation Sans', sans-serif",
    "padding": {"left": 8, "right": 24, "top": 5, "bottom": 5},
    "view": {"stroke": None},
    "title": {"color": "currentColor", "anchor": "start", "fontSize": 13, "fontWeight": 600, "limit": 640},
    "axis": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "titleFontWeight": "normal",
        "domainColor": GREY,
        "tickColor": GREY,
        "gridColor": GREY,
        "gridOpacity": 0.22,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleLimit": 300,
        "labelLimit": 220,
    },
    "axisY": {"grid": False, "domain": False},
    "header": {"labelColor": "currentColor", "titleColor": "currentColor", "labelFontSize": 11},
    "legend": {"labelColor": "currentColor", "titleColor": "currentColor", "labelFontSize": 11},
    "text": {"color": "currentColor"},
}


def svg(chart: Chart | alt.VConcatChart, label: str) -> str:
    """The chart as an SVG element to stand inside a page, with a label for those who cannot see it.

    Nothing is fetched, and no ids are used that could meet those of another chart.
    """
    import vl_convert

    spec = chart.to_dict()
    spec["config"] = {**spec.get("config", {}), **_CONFIG}
    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    text: str = vl_convert.vegalite_to_svg(spec, vl_version=version, allowed_base_urls=[])
    text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", text, count=2)
    text = text.replace("<svg ", f'<svg role="img" aria-label="{html.escape(_short(label))}" ', 1)
    return re.sub(r' (d|transform|x2|y2|x|y)="([^"]*)"', _rounded, text)


def _rounded(match: re.Match[str]) -> str:
    """Coordinates to a tenth of a pixel: half the bytes, and rounding noise does not reach the file."""
    short = re.sub(r"-?\d+\.\d+(?:e-?\d+)?", lambda m: f"{float(m[0]):.1f}".removesuffix(".0"), match[2])
    return f' {match[1]}="{short}"'
