"""Screens for people: as pixels, text, PNG and GIF (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.methods.environments.octax.machine import HIGH, LOW, Machines

Colour = tuple[int, int, int]
PALETTES: dict[str, tuple[Colour, Colour]] = {
    "green": ((16, 24, 16), (96, 240, 112)),
    "amber": ((24, 16, 8), (255, 180, 64)),
    "paper": ((246, 244, 236), (32, 32, 40)),
    "white": ((0, 0, 0), (255, 255, 255)),
}
"""Colours of dark and lit pixels."""


def unpack(words: ArrayLike) -> NDArray[np.uint8]:
    """Pixels of packed screens.

    Args:
        words: uint32 (..., rows, columns / 32), leftmost pixel in the highest bit.

    Returns uint8 (..., rows, columns) of 0 and 1. Raises ValueError for another type.
    """
    array = np.asarray(words)
    if array.dtype != np.uint32 or array.ndim < 2:
        raise ValueError(f"packed screens are uint32 (..., rows, words), not {array.dtype} {array.shape}")
    return np.unpackbits(np.ascontiguousarray(array.astype(">u4")).view(np.uint8), axis=-1)


def pack(pixels: ArrayLike) -> NDArray[np.uint32]:
    """Packed screens of pixels: the inverse of `unpack`.

    Args:
        pixels: (..., rows, columns) of 0 and 1 (or bool), columns a multiple of 32.

    Returns uint32 (..., rows, columns / 32). Raises ValueError where the columns do not fit.
    """
    array = np.asarray(pixels)
    if array.ndim < 2 or array.shape[-1] % 32:
        raise ValueError(f"pixels of shape {array.shape}; columns must be a multiple of 32")
    return np.packbits(array.astype(bool), axis=-1).view(">u4").astype(np.uint32)


def pixels(machines: Machines) -> NDArray[np.uint8]:
    """The screens of machines, as they are observed.

    Args:
        machines: (n,) of dtype `machine.machine_dtype`.

    Returns uint8 (n, 32, 64), or (n, 64, 128) where the machines have high resolution, low resolution doubled. Raises
    ValueError where these are no machines.
    """
    if machines.ndim != 1 or "display" not in (machines.dtype.names or ()):
        raise ValueError(f"machines are an array (n,) as new_machines makes it, not {machines.dtype} {machines.shape}")
    words = np.asarray(machines["display"])
    bits = np.unpackbits(np.ascontiguousarray(words.astype(">u8")).view(np.uint8), axis=-1)
    if bits.shape[1:] == HIGH:
        low = np.asarray(machines["hires"]) == 0
        bits[low] = bits[low, : LOW[0], : LOW[1]].repeat(2, axis=1).repeat(2, axis=2)
    return bits


def to_rgb(picture: ArrayLike, scale: int = 8, palette: str | tuple[Colour, Colour] = "green") -> NDArray[np.uint8]:
    """A screen in colour.

    Args:
        picture: (rows, columns) of 0 and 1.
        scale: pixels a side of one pixel, at least 1.
        palette: a name of `PALETTES`, or the colours of dark and lit pixels.

    Returns uint8 (rows * scale, columns * scale, 3). Raises ValueError for a wrong shape, scale or palette.
    """
    return np.asarray(_colours(palette)[_enlarged(picture, scale)])


def _enlarged(picture: ArrayLike, scale: int) -> NDArray[np.uint8]:
    array = np.asarray(picture)
    if array.ndim != 2 or not array.size:
        raise ValueError(f"a screen has rows and columns; this has shape {array.shape}")
    if isinstance(scale, bool) or not isinstance(scale, int | np.integer) or scale < 1:
        raise ValueError(f"scale: {scale!r}; a whole number, at least 1")
    lit: NDArray[np.uint8] = (array != 0).astype(np.uint8)
    return lit.repeat(scale, axis=0).repeat(scale, axis=1)


def _colours(palette: str | tuple[Colour, Colour]) -> NDArray[np.uint8]:
    if isinstance(palette, str):
        if palette not in PALETTES:
            raise ValueError(f"palette: {palette!r} is none of {', '.join(PALETTES)}")
        palette = PALETTES[palette]
    colours = np.asarray(palette)
    if colours.shape != (2, 3) or colours.dtype.kind not in "iu" or colours.min() < 0 or colours.max() > 255:
        raise ValueError(f"palette: {palette!r}; a name, or two colours of three numbers from 0 to 255: dark and lit")
    return colours.astype(np.uint8)


_HALF = " ▄▀█"
_QUADRANT = " ▗▖▄▝▐▞▟▘▚▌▙▀▜▛█"


def to_text(picture: ArrayLike) -> str:
    """A screen as lines of 64 block characters: of two rows in low resolution, of 2x2 pixels in high.

    Args:
        picture: (32, 64) or (64, 128) of 0 and 1; any even number of rows and columns, more than 64 as high resolution.

    Returns 16 or 32 lines joined by newlines. Raises ValueError for a wrong shape.
    """
    array = (np.asarray(picture) != 0).astype(int)
    if array.ndim != 2 or array.shape[0] % 2 or array.shape[1] % 2:
        raise ValueError(f"a screen has an even number of rows and columns; this has shape {array.shape}")
    if array.shape[1] <= LOW[1]:
        return "\n".join("".join(_HALF[c] for c in row) for row in 2 * array[::2] + array[1::2])
    top, bottom = array[::2], array[1::2]
    codes = 8 * top[:, ::2] + 4 * top[:, 1::2] + 2 * bottom[:, ::2] + bottom[:, 1::2]
    return "\n".join("".join(_QUADRANT[c] for c in row) for row in codes)


def save_png(
    path: str | PathLike[str], picture: ArrayLike, scale: int = 8, palette: str | tuple[Colour, Colour] = "green"
) -> None:
    """Write a screen as a PNG file; arguments as `to_rgb`.

    Args:
        path: of the file.
        picture: (rows, columns) of 0 and 1.
        scale: pixels a side of one pixel.
        palette: a name of `PALETTES`, or two colours.

    Raises ValueError as `to_rgb`, OSError where the file cannot be written.
    """
    _image(picture, scale, palette).save(path, format="PNG", optimize=True)


def save_gif(
    path: str | PathLike[str],
    pictures: Sequence[ArrayLike],
    fps: float = 15.0,
    scale: int = 4,
    palette: str | tuple[Colour, Colour] = "green",
) -> None:
    """Write screens as a GIF file that repeats.

    Args:
        path: of the file.
        pictures: at least one, each (rows, columns) of 0 and 1, of one size.
        fps: pictures per second, at most 50; the format counts hundredths of a second, so some stay longer than others.
        scale: pixels a side of one pixel.
        palette: a name of `PALETTES`, or two colours.

    Raises ValueError where there is no picture, sizes differ, or an argument is out of range, OSError where the file
    cannot be written.
    """
    _check_same_size(pictures)
    if not 0 < fps <= 50:
        raise ValueError(f"fps: {fps}; above 0, at most 50")
    ends = [round(100 * i / fps) for i in range(len(pictures) + 1)]
    durations = [10 * (end - start) for start, end in pairwise(ends)]
    first, *rest = [_image(picture, scale, palette) for picture in pictures]
    first.save(path, format="GIF", save_all=True, append_images=rest, duration=durations, loop=0)


def _check_same_size(pictures: Sequence[ArrayLike]) -> None:
    if not len(pictures):
        raise ValueError("there is no picture")
    shapes = {np.shape(picture) for picture in pictures}
    if len(shapes) > 1:
        raise ValueError(f"pictures: of shapes {', '.join(map(str, sorted(shapes)))}; they must have one size")


def _image(picture: ArrayLike, scale: int, palette: str | tuple[Colour, Colour]) -> Any:
    from PIL import Image

    image = Image.fromarray(_enlarged(picture, scale), mode="P")
    image.putpalette(_colours(palette).ravel().tolist())
    return image


def contact_sheet(
    pictures: Sequence[ArrayLike], columns: int = 4, scale: int = 3, palette: str | tuple[Colour, Colour] = "green"
) -> NDArray[np.uint8]:
    """Screens side by side in rows, in colour.

    Args:
        pictures: each (rows, columns) of 0 and 1, of one size.
        columns: screens in a row, at least 1.
        scale: pixels a side of one pixel.
        palette: a name of `PALETTES`, or two colours.

    Returns uint8 (height, width, 3), with a border of 4 grey pixels around each. Raises ValueError where there is no
    picture, sizes differ, or an argument is out of range.
    """
    _check_same_size(pictures)
    if columns < 1:
        raise ValueError(f"columns: {columns}; at least 1")
    tiles = [np.pad(to_rgb(p, scale, palette), ((4, 4), (4, 4), (0, 0)), constant_values=128) for p in pictures]
    tiles += [np.full_like(tiles[0], 128)] * (-len(tiles) % columns)
    return np.concatenate([np.concatenate(tiles[i : i + columns], axis=1) for i in range(0, len(tiles), columns)])
