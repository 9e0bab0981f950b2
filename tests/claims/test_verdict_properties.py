"""What no input may change: the order of seeds, the unit of measurement, and that more effect is never worse."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.claims.effects import Outcome, Rows, Rule
from assay.claims.verdict import combine, judge

# Sixteenths and factors of two are exact in floating point, so that rounding cannot move a number across a bound.
sixteenths = st.integers(-64, 64).map(lambda k: k / 16)
seeds = st.lists(sixteenths, min_size=5, max_size=8)
RANK = ("contradicted", "absent", "inconclusive", "weaker", "consistent", "reproduced")


def rule(n, **given):
    return Rule(**({"kind": "more", "margin": 0.25, "planned": n, "compares": "magnitude", "reported": 1.0} | given))


def said(values, control=None, **given):
    return judge(rule(len(values), **given), Outcome({"": values}, control=None if control is None else {"": control}))


@given(values=seeds, up=st.integers(0, 64).map(lambda k: k / 16))
@settings(max_examples=150, deadline=None)
def test_more_effect_is_never_worse(values, up):
    before, after = said(values), said([x + up for x in values])
    assert RANK.index(after.word) >= RANK.index(before.word)


@given(values=seeds, up=st.integers(0, 64).map(lambda k: k / 16), margin=st.sampled_from([0.25, 0.5, 1.0]))
@settings(max_examples=150, deadline=None)
def test_less_loss_is_never_worse(values, up, margin):
    order = ("contradicted", "inconclusive", "reproduced")
    spoiled = {"": [-40.0 - x for x in range(len(values))]}
    words = [
        judge(rule(len(values), kind="keeps", margin=margin), Outcome({"": shifted}, spoiled=spoiled)).word
        for shifted in (values, [x + up for x in values])
    ]
    assert order.index(words[1]) >= order.index(words[0])


@given(data=st.data(), values=seeds, factor=st.sampled_from([2.0**-20, 0.5, 2.0, 2.0**20]))
@settings(max_examples=150, deadline=None)
def test_the_unit_does_not_matter(data, values, factor):
    control = data.draw(st.none() | st.lists(sixteenths, min_size=len(values), max_size=len(values)))
    scaled = said(
        [x * factor for x in values],
        None if control is None else [x * factor for x in control],
        margin=0.25 * factor,
        reported=factor,
    )
    plain = said(values, control)
    assert str(scaled) == str(plain)
    assert scaled.mean == plain.mean * factor
    assert scaled.low == (None if plain.low is None else plain.low * factor)


@given(data=st.data(), values=seeds)
@settings(max_examples=150, deadline=None)
def test_the_order_of_seeds_does_not_matter(data, values):
    control = data.draw(st.lists(sixteenths, min_size=len(values), max_size=len(values)))
    order = data.draw(st.permutations(range(len(values))))
    assert str(said(values, control)) == str(said([values[i] for i in order], [control[i] for i in order]))


@given(values=seeds, others=st.data())
@settings(max_examples=150, deadline=None)
def test_another_baseline_never_helps_a_claim(values, others):
    """Except that a refutation gets harder, since its level is divided: `absent` may then become open."""
    second = others.draw(st.lists(sixteenths, min_size=len(values), max_size=len(values)))
    one = judge(rule(len(values)), Outcome({"a": values}))
    two = judge(rule(len(values)), Outcome({"a": values, "b": second}))
    if two.word in ("consistent", "reproduced") and not two.reason:
        assert one.word == two.word
    assert two.mean <= one.mean
    if one.low is not None and two.low is not None:
        assert two.low <= one.low


@given(values=seeds, regimes=st.integers(2, 5))
@settings(max_examples=100, deadline=None)
def test_copies_of_one_regime_change_nothing_over_all_and_mean(values, regimes):
    alone = said(values)
    for over in ("all", "mean"):
        copies = {str(i): Outcome({"": values}) for i in range(regimes)}
        assert combine(rule(len(values), over=over), copies)[0].word == alone.word


@given(st.lists(st.lists(sixteenths, min_size=3, max_size=3), min_size=5, max_size=6), st.permutations(range(3)))
@settings(max_examples=100, deadline=None)
def test_the_order_of_items_does_not_matter(matrix, order):
    straight, turned = (
        judge(rule(len(matrix)), Outcome({"": [Rows(tuple(row[i] for i in items)) for row in matrix]}))
        for items in (range(3), order)
    )
    assert str(straight) == str(turned)
    assert (straight.mean, straight.low) == pytest.approx((turned.mean, turned.low), abs=1e-12)
