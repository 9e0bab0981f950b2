"""A zip file's members, within limits. Nothing is written, and archives inside are not opened."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

from assay.papers.listings.document import ListingError

MOST_FILES = 10_000


def looks_like(data: bytes) -> bool:
    """Whether bytes begin as a zip file does."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def members(data: bytes, name: str, most: int) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each file in a zip, at most `most` bytes of all together.

    ListingError, one line, for a damaged or encrypted archive, and for one that expands to more.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            if len(infos) > MOST_FILES:
                raise ListingError(f"{name}: a zip of {len(infos):,} files; at most {MOST_FILES:,} are read")
            left = most
            for info in infos:
                base = info.filename.replace("\\", "/").rsplit("/", 1)[-1]
                if base.startswith(".") or info.filename.startswith("__MACOSX"):
                    continue
                with archive.open(info) as file:
                    held = file.read(left + 1)  # what it says of its size may be a lie
                left -= len(held)
                if left < 0:
                    raise ListingError(f"{name}: expands to more than {most >> 20} MB; unpack and split it")
                yield base, held
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise ListingError(f"{name}: damaged or encrypted zip file: {error}") from None
