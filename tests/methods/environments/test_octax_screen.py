"""Screens: pixels of the packed display, text, colours, PNG and GIF."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.methods.environments.octax import screen
from assay.methods.environments.octax.machine import PROFILES, machine_dtype, new_machines
from assay.methods.environments.octax.reference import ReferenceMachine

LOW, HIGH = (32, 64), (64, 128)
GREEN = [list(colour) for colour in screen.PALETTES["green"]]


def blank(size=LOW):
    return np.zeros(size, np.uint8)


def drawn(seed=0, size=LOW):
    return np.random.default_rng(seed).integers(0, 2, size, dtype=np.uint8)


# --- pixels ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("hires", "size", "corner"), [(False, LOW, 63), (True, HIGH, 127)])
def test_the_leftmost_pixel_is_the_highest_bit(hires, size, corner):
    machines = np.zeros(2, machine_dtype(hires))
    machines["hires"] = hires
    machines["display"][1, 0, 0] = 1 << 63
    machines["display"][1, -1, -1] = 1
    pictures = screen.pixels(machines)
    assert pictures.shape == (2, *size)
    assert pictures.dtype == np.uint8
    assert not pictures[0].any()
    assert np.argwhere(pictures[1]).tolist() == [[0, 0], [size[0] - 1, corner]]


def test_low_resolution_is_doubled_where_machines_may_have_high():
    machines = np.zeros(2, machine_dtype(hires=True))
    machines["display"][:, 1, 0] = 1 << 61  # (row 1, column 2)
    machines["hires"] = [0, 1]
    low, high = screen.pixels(machines)
    assert np.argwhere(low).tolist() == [[2, 4], [2, 5], [3, 4], [3, 5]]
    assert np.argwhere(high).tolist() == [[1, 2]]


@pytest.mark.parametrize("hires", [False, True])
def test_pixels_are_those_of_the_reference_machine(hires):
    machine = ReferenceMachine(bytes.fromhex("00FF" * hires + "A050" + "D005" + "1206"), PROFILES["schip"], hires=hires)
    machine.frame(4)
    (picture,) = screen.pixels(machine.save())
    assert picture.tolist() == machine.pixels
    assert picture.sum() == 14  # the digit 0


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 2), machine_dtype()), np.zeros((), machine_dtype())])
def test_what_is_no_array_of_machines_has_no_pixels(wrong):
    with pytest.raises(ValueError, match=r"machines are an array \(n,\)"):
        screen.pixels(wrong)


@given(arrays(np.uint8, st.sampled_from([(32, 64), (2, 32, 64), (3, 4, 64, 128), (1, 32)]), elements=st.integers(0, 1)))
def test_unpack_undoes_pack(picture):
    packed = screen.pack(picture)
    assert packed.dtype == np.uint32
    assert packed.shape == (*picture.shape[:-1], picture.shape[-1] // 32)
    assert np.array_equal(screen.unpack(packed), picture)
    assert np.array_equal(screen.pack(screen.unpack(packed)), packed)


def test_packed_words_hold_the_leftmost_pixel_in_the_highest_bit():
    picture = blank()
    picture[3, 0] = picture[3, 33] = 1
    packed = screen.pack(picture)
    assert packed[3].tolist() == [1 << 31, 1 << 30]
    assert packed.sum() == (1 << 31) + (1 << 30)


@pytest.mark.parametrize("wrong", [np.zeros((32, 2), np.int64), np.zeros(2, np.uint32), np.zeros((32, 2), np.uint64)])
def test_only_packed_screens_are_unpacked(wrong):
    with pytest.raises(ValueError, match="packed screens are uint32"):
        screen.unpack(wrong)


@pytest.mark.parametrize("wrong", [np.zeros((32, 63)), np.zeros(64)])
def test_only_whole_words_are_packed(wrong):
    with pytest.raises(ValueError, match="multiple of 32"):
        screen.pack(wrong)


# --- text --------------------------------------------------------------------------------------------------------


def test_a_digit_as_text():
    machines = new_machines(bytes.fromhex("60016101A08CD015"), [0])  # the digit C at (1, 1)
    machine = ReferenceMachine(b"\0", PROFILES["schip"])
    machine.load(machines)
    machine.frame(4)
    lines = screen.to_text(machine.pixels).split("\n")
    assert lines[:4] == [
        " ▄▄▄▄".ljust(64),
        " █".ljust(64),
        " █▄▄▄".ljust(64),
        " " * 64,
    ]
    assert len(lines) == 16


def test_low_resolution_has_two_rows_in_a_line():
    picture = blank()
    picture[0, 0] = picture[1, 1] = picture[0, 2] = picture[1, 2] = 1
    first, *others = screen.to_text(picture).split("\n")
    assert first == "▀▄█" + 61 * " "
    assert others == [64 * " "] * 15


def test_high_resolution_has_four_pixels_in_a_character_and_fits_80_columns():
    picture = blank(HIGH)
    for code in range(16):
        picture[:2, 2 * code : 2 * code + 2] = [[code >> 3 & 1, code >> 2 & 1], [code >> 1 & 1, code & 1]]
    first, *others = screen.to_text(picture).split("\n")
    assert first == " ▗▖▄▝▐▞▟▘▚▌▙▀▜▛█" + 48 * " "
    assert others == [64 * " "] * 31


@given(arrays(np.uint8, (32, 64), elements=st.integers(0, 1)))
def test_text_holds_every_pixel(picture):
    top_and_bottom = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
    read = np.array([[top_and_bottom[c] for c in line] for line in screen.to_text(picture).split("\n")])
    assert np.array_equal(read.transpose(0, 2, 1).reshape(32, 64), picture)


@pytest.mark.parametrize("shape", [(31, 64), (32, 63), (64,), (4, 32, 64)])
def test_text_needs_an_even_screen(shape):
    with pytest.raises(ValueError, match="even number of rows and columns"):
        screen.to_text(np.zeros(shape))


# --- colours -----------------------------------------------------------------------------------------------------


def test_colours_and_scale():
    picture = blank()
    picture[1, 2] = 1
    rgb = screen.to_rgb(picture, scale=3)
    assert rgb.shape == (96, 192, 3)
    assert rgb.dtype == np.uint8
    lit = np.argwhere((rgb == GREEN[1]).all(-1))
    assert lit.min(0).tolist() == [3, 6]
    assert lit.max(0).tolist() == [5, 8]
    assert len(lit) == 9
    assert (rgb == GREEN[0]).all(-1).sum() == 96 * 192 - 9


@pytest.mark.parametrize("palette", [*screen.PALETTES, ((1, 2, 3), (4, 5, 6))])
def test_palettes(palette):
    dark, lit = screen.PALETTES.get(palette, palette) if isinstance(palette, str) else palette
    rgb = screen.to_rgb(np.eye(2), 1, palette)
    assert rgb.tolist() == [[list(lit), list(dark)], [list(dark), list(lit)]]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((blank(), 8, "grey"), "palette: 'grey' is none of green, amber, paper, white"),
        ((blank(), 8, ((0, 0, 0),)), "two colours"),
        ((blank(), 8, ((0, 0, 0), (0, 0, 256))), "from 0 to 255"),
        ((blank(), 8, ((0.0, 0, 0), (0, 0, 1))), "two colours"),
        ((blank(), 0), "scale: 0; a whole number, at least 1"),
        ((blank(), 1.5), "scale: 1.5"),
        ((blank(), True), "scale: True"),
        ((np.zeros((4, 32, 64)),), r"this has shape \(4, 32, 64\)"),
        ((np.zeros((0, 64)),), "rows and columns"),
    ],
)
def test_mistakes_in_colours(arguments, says):
    with pytest.raises(ValueError, match=says):
        screen.to_rgb(*arguments)


def test_contact_sheet():
    pictures = [np.full(LOW, lit) for lit in (0, 1, 1)]
    sheet = screen.contact_sheet(pictures, columns=2, scale=1)
    assert sheet.shape == (2 * 40, 2 * 72, 3)
    tiles = sheet.reshape(2, 40, 2, 72, 3).transpose(0, 2, 1, 3, 4).reshape(4, 40, 72, 3)
    inner = tiles[:, 4:-4, 4:-4]
    assert [np.unique(tile.reshape(-1, 3), axis=0).tolist() for tile in inner] == [
        [GREEN[0]],
        [GREEN[1]],
        [GREEN[1]],
        [[128] * 3],
    ]
    tiles[:, 4:-4, 4:-4] = 128
    assert (tiles == 128).all()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(([],), "no picture"), (([blank()], 0), "columns: 0"), (([blank(), blank(HIGH)],), r"\(32, 64\), \(64, 128\)")],
)
def test_mistakes_in_contact_sheets(arguments, says):
    with pytest.raises(ValueError, match=says):
        screen.contact_sheet(*arguments)


# --- files -------------------------------------------------------------------------------------------------------


def test_a_png_holds_the_picture(tmp_path):
    image = pytest.importorskip("PIL.Image")
    picture = drawn()
    screen.save_png(tmp_path / "screen.png", picture, scale=2, palette="amber")
    read = image.open(tmp_path / "screen.png")
    assert read.format == "PNG"
    assert np.array_equal(np.asarray(read.convert("RGB")), screen.to_rgb(picture, 2, "amber"))


def test_a_gif_holds_every_picture_and_repeats_and_is_small(tmp_path):
    image = pytest.importorskip("PIL.Image")
    pictures = [drawn(seed) for seed in range(30)]
    screen.save_gif(tmp_path / "game.gif", pictures, fps=15, scale=2)
    read = image.open(tmp_path / "game.gif")
    assert read.n_frames == 30
    assert read.info["loop"] == 0
    shown, lasting = [], []
    for i in range(read.n_frames):
        read.seek(i)
        lasting.append(read.info["duration"])
        shown.append(np.asarray(read.convert("RGB")))
    assert all(np.array_equal(a, screen.to_rgb(b, 2)) for a, b in zip(shown, pictures, strict=True))
    assert sum(lasting) == 2000  # 30 pictures, 15 a second: on average exact, though the format has hundredths only
    assert set(lasting) <= {60, 70}
    assert (tmp_path / "game.gif").stat().st_size < 30 * 64 * 32 * 4  # a byte a pixel, uncompressed


def test_what_stands_still_takes_no_space_and_keeps_its_time(tmp_path):
    image = pytest.importorskip("PIL.Image")
    screen.save_gif(tmp_path / "still.gif", [drawn()] * 60 + [blank()], fps=20)
    read = image.open(tmp_path / "still.gif")
    assert read.n_frames == 2
    assert read.info["duration"] == 3000


@pytest.mark.parametrize(
    ("pictures", "fps", "says"),
    [
        ([], 15, "no picture"),
        ([blank()], 0, "fps: 0"),
        ([blank()], 60, "fps: 60; above 0, at most 50"),
        ([blank()], float("nan"), "fps: nan"),
        ([blank(), blank(HIGH)], 15, "one size"),
    ],
)
def test_mistakes_in_gifs(tmp_path, pictures, fps, says):
    with pytest.raises(ValueError, match=says):
        screen.save_gif(tmp_path / "x.gif", pictures, fps)
    assert not (tmp_path / "x.gif").exists()


def test_a_file_that_cannot_be_written(tmp_path):
    pytest.importorskip("PIL")
    with pytest.raises(FileNotFoundError):
        screen.save_png(tmp_path / "missing" / "x.png", blank())
