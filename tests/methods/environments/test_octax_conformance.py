"""The conformance runner, on small programs of our own that report as test ROMs do: on the screen."""

import pytest

from assay.methods.environments.octax.assembly import assemble
from assay.methods.environments.octax.conformance import PLATFORM, conformance

REPORTS = assemble(
    """
    start:
        LD I, 0x1FF
        LD V0, [I]
        LD F, V0            ; the platform that was preset
        LD V1, 4
        DRW V1, V1, 5
    stay:
        JP stay
    """
).rom


@pytest.mark.parametrize("quirks", PLATFORM)
def test_the_platform_is_preset_and_the_screen_is_kept(quirks):
    shown = conformance(REPORTS, quirks, frames=5)
    expected = conformance(REPORTS, quirks, frames=5, preset=PLATFORM[quirks])
    assert str(shown) == str(expected)
    assert shown.screen.sum() > 0
    assert (shown.fault, shown.frames) == ("", 5)
    other = conformance(REPORTS, quirks, frames=5, preset=8)
    assert str(other) != str(shown)


def test_high_resolution_is_there_for_platforms_that_have_it(tmp_path):
    rom = assemble("HIGH\nLD I, dot\nDRW V0, V0, 1\nstay: JP stay\ndot: byte 0x80").rom
    (tmp_path / "test.ch8").write_bytes(rom)
    shown = conformance(tmp_path / "test.ch8", "schip", frames=2)
    assert shown.screen.shape == (64, 128)
    assert shown.screen.sum() == 1
    broken = conformance(rom, "vip", frames=2)
    assert "00FF is a SUPER-CHIP instruction" in broken.fault
    assert broken.fault in str(broken)


def test_what_is_no_program_is_said(tmp_path):
    with pytest.raises(FileNotFoundError):
        conformance(tmp_path / "none.ch8")
    with pytest.raises(ValueError, match="empty"):
        conformance(b"")
