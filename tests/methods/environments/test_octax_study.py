"""The studies' own instruments: what counts as a deviation, how speeds and gains are computed."""

import math

import numpy as np
import pytest

from assay.methods.environments.octax import fidelity
from assay.methods.environments.octax import study as studies
from assay.methods.environments.octax.machine import FONT_START, PROFILES
from assay.studies.study import Cases, Trial


def trial(**arms):
    return Trial("all", 0, arms, {}, {})


# --- fidelity ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", fidelity.GROUPS)
def test_both_machines_of_ours_are_faithful_and_the_broken_one_is_caught(group):
    drawn = fidelity.cases(group, 60, np.random.default_rng(1))
    for platform in fidelity.PLATFORMS:
        assert [fidelity.by_native(c, platform) for c in drawn] == [fidelity.by_reference(c, platform) for c in drawn]
        assert studies.judged(drawn, [fidelity.by_native(c, platform) for c in drawn]).violations == 0
    broken = studies.judged(drawn, [fidelity.by_reference(c, "schip", fidelity.Spoiled) for c in drawn])
    assert broken.confirmed == broken.violations > 0
    assert broken.worst


def test_cases_cover_every_instruction_of_their_group():
    for group, kinds in fidelity.GROUPS.items():
        drawn = fidelity.cases(group, 4 * max(1, len(kinds)), np.random.default_rng(0))
        for fixed, free in kinds:
            assert sum(case.opcode & ~free & 0xFFFF == fixed for case in drawn) >= 4, f"{group}: {fixed:04X}"
    skips = fidelity.cases("jumps and calls", 400, np.random.default_rng(0))
    taken = [fidelity.by_reference(c, "vip")[2] == fidelity.PROGRAM + 4 for c in skips if c.opcode >> 12 in (3, 5)]
    assert 0.3 < np.mean(taken) < 0.7


def test_habits_of_other_interpreters_count_as_faithful():
    def case(opcode, **state):
        (found,) = fidelity.cases("memory", 1, np.random.default_rng(0))
        found.machine["memory"][0, fidelity.PROGRAM : fidelity.PROGRAM + 2] = opcode >> 8, opcode & 0xFF
        for name, value in state.items():
            found.machine[name] = value
        return fidelity.Case(opcode, found.machine)

    def after(case, **state):
        machine = case.machine.copy()
        machine["pc"] = fidelity.PROGRAM + 2
        for name, value in state.items():
            if name.startswith("V"):
                machine["V"][0, int(name[1:])] = value
            else:
                machine[name] = value
        return fidelity.outcome(machine)

    far = case(0xF31E, I=0xFF0)
    far.machine["V"][0, 3] = 0x20
    assert after(far, I=0x010, V15=1) in fidelity.accepted(far)
    assert after(far, I=0x010, V15=0) not in fidelity.accepted(far)
    digit = case(0xF429)
    digit.machine["V"][0, 4] = 20
    assert after(digit, I=FONT_START + 100) in fidelity.accepted(digit)
    assert after(digit, I=(FONT_START + 100) & 0x3F) not in fidelity.accepted(digit)
    key = case(0xF50A, keys=1 << 7 | 1 << 9)
    assert after(key, V5=7) in fidelity.accepted(key)
    assert after(key, V5=9) not in fidelity.accepted(key)


def test_a_violation_that_the_second_check_does_not_share_is_not_confirmed(monkeypatch):
    drawn = fidelity.cases("drawing", 5, np.random.default_rng(0))
    wrong = [fidelity.by_reference(c, "schip", fidelity.Spoiled) for c in drawn]
    monkeypatch.setattr(fidelity, "by_native", lambda case, platform: wrong[drawn.index(case)])
    found = studies.judged(drawn, wrong)
    assert found.violations > 0
    assert found.confirmed == 0


def test_every_profile_is_a_platform_or_the_published_one():
    assert {*fidelity.PLATFORMS, "octax"} == set(PROFILES)


# --- speed -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arm", "steps"),
    [("octax 64", 64 * 16), ("octax (2) 1024 again", 1024), ("ale-py 1 at 64", 300), ("our native 4096", 409600)],
)
def test_steps_of_a_call(arm, steps):
    assert studies.steps_of(arm) == steps


def test_faster_is_the_log_of_steps_per_cpu_second():
    one = trial(**{"our jax 64": {"cpu": 1.0}, "octax 64": {"cpu": 2.0}})
    expected = math.log(64 * 150 / 1.0) - math.log(64 * 16 / 2.0)
    assert studies.faster(one, "our jax 64", "octax 64") == pytest.approx(expected)


def test_growth_is_nought_where_a_step_of_all_takes_as_long_for_many_as_for_few():
    def walls(name, seconds_per_step):
        return {f"{name} {n}": {"wall": seconds_per_step(n) * studies.PER_CALL[name][n]} for n in studies.COUNTS}

    scales = trial(**walls("octax", lambda n: 0.5))
    assert studies.growth(scales, "octax 4096", None) == pytest.approx(0.0)
    serial = trial(**walls("one by one", lambda n: 0.001 * n))
    assert studies.growth(serial, "one by one 4096", None) == pytest.approx(-1.0)


# --- learning ----------------------------------------------------------------------------------------------------


def test_gain_is_counted_in_units_of_the_scripted_player():
    one = trial(ppo={"score": 6.0}, random={"score": 1.0}, scripted={"score": 11.0})
    assert studies.gain(one, "ppo", "random") == pytest.approx(0.5)
    assert studies.gain(one, "random", "random") == 0.0


def test_a_scripted_player_as_bad_as_chance_is_no_scale():
    one = trial(random={"score": 1.0}, scripted={"score": 2.0})
    assert "hardly better" in studies.Learning().fits(studies.Learning.tests[0], (one,))
    assert (
        studies.Learning().fits(studies.Learning.tests[0], (trial(random={"score": 0.0}, scripted={"score": 9.0}),))
        is None
    )


def test_deviations_are_handed_on_as_they_are():
    cases = Cases(10, 1, 1, "8014")
    assert studies.deviations(trial(octax={"cases": cases}), "octax", None) is cases
