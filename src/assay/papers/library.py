"""The library: a user's papers in one SQLite file, merged and indexed for search.

Each record is kept as it was read; a paper is the merge of its records (`assay.papers.merge`), so the order of reading
does not matter. What a call writes is written in one transaction, the search index included.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from assay.papers.cjk import grams
from assay.papers.merge import ASK, content, identifiers, marks, merged, same, shingles
from assay.papers.paper import STATUSES, Paper, Source, key_of
from assay.papers.schema import MIGRATIONS

_PATIENCE = 30
"""Seconds to wait for another process that holds the file."""

_Papers = list[Paper]  # in the class, `list` is a method
_Ids = list[int]

_APPLICATION = 0x41737379
_COMMON = 10
"""Records per shingle that are kept: what more abstracts share is a phrase, not a sign of the same paper."""
_MOST = 500
"""Records that share a mark and are compared: more with one title and no authors are no papers."""
_LONG = 120
"""Shingles from which an abstract is indexed by a sample of them, one in _SAMPLED."""
_SAMPLED = 4

HAS = {
    "code": "paper.code",
    "claims": "paper.id IN (SELECT claimed.paper FROM claimed WHERE sentences > 0)",
}
"""What `where` can ask a paper to have, as a condition."""

MOST = 2**31
"""The largest limit and offset that are passed on to SQLite."""
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SOURCE = tuple(part.name for part in fields(Source))
_LINK = re.compile(
    r"(?:https?://)?(?:www\.)?(?:(?P<openreview>openreview\.net)/(?:forum|pdf)\?(?:[^#\s]*&)?id="
    r"|(?P<arxiv>arxiv\.org)/(?:abs|pdf)/|(?:dx\.)?(?P<doi>doi\.org)/)(?P<id>[^&#\s?]+)"
)


class LibraryError(Exception):
    """The library file cannot be used; one line that names the file and what to do."""


class NoSuchPaper(LookupError):
    """No paper, or more than one, answers to what was asked for; one line that says which."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class MaybeSame:
    """Two papers whose abstracts overlap without being near enough to merge them unasked."""

    key: str
    other: str
    containment: float
    """Shared three-word runs over those of the shorter abstract, 0 to 1."""


@dataclass(frozen=True)
class Added:
    """What `Library.add` did with each of its records."""

    added: int
    """Records that became a new paper."""
    merged: int
    """Records, or sightings in another file, that joined a paper."""
    unchanged: int
    """Records that were there, from the same entry of the same file."""
    may_be_same: tuple[MaybeSame, ...] = ()


class Library:
    """The papers in the SQLite file `path`, which is created where there is none; ":memory:" keeps them in memory.

    Use it as a context manager, or close it. One object serves one thread; several processes may share the file.
    A library that cannot be written here is opened for reading only. LibraryError for a file that is no library, is
    damaged, or was written by a newer Assay.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self.holding: dict[str, int] = {}  # how many papers hold a word, for `assay.papers.keyword`
        self.scratch: TemporaryDirectory[str] | None = None  # for `assay.papers.vectors` of a library in memory
        try:
            if self.path != ":memory:":
                Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            self._read_only = _is_read_only(self.path)
            name = _read_only_uri(self.path) if self._read_only else self.path
            self.db = sqlite3.connect(name, timeout=_PATIENCE, isolation_level=None, uri=self._read_only)
        except (OSError, sqlite3.Error) as error:
            raise LibraryError(f"{self.path}: cannot be opened as a library: {error}") from None
        try:
            with self.errors():
                self._migrate()
        except BaseException:
            self.db.close()
            raise

    def _migrate(self) -> None:
        if not self._read_only:
            self._use_wal()
        for pragma in ("synchronous = NORMAL", "foreign_keys = ON", "cache_size = -262144"):
            self.db.execute(f"PRAGMA {pragma}")
        self.db.create_function("has_code", 1, lambda body: bool(_paper(body).links.get("code")))  # for schema.py
        if (version := self._check_version()) == len(MIGRATIONS):
            return
        if self._read_only:
            raise LibraryError(
                f"{self.path}: written by an older Assay (format {version}) and not writable here; make it writable"
            )
        with self.writing():
            for version in range(self._check_version(), len(MIGRATIONS)):  # again: another process may have been first
                for statement in MIGRATIONS[version]:
                    self.db.execute(statement)
            self.db.execute(f"PRAGMA application_id = {_APPLICATION}")
            self.db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    def _use_wal(self) -> None:
        """Switch to write-ahead logging; SQLite does not wait here for a process that does the same, so we do."""
        give_up = time.monotonic() + _PATIENCE
        while True:
            try:
                self.db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > give_up:
                    raise
            time.sleep(0.02)

    def _check_version(self) -> int:
        version = int(self.db.execute("PRAGMA user_version").fetchone()[0])
        owner = int(self.db.execute("PRAGMA application_id").fetchone()[0])
        tables = int(self.db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        if owner != _APPLICATION and (owner or version or tables):
            raise LibraryError(f"{self.path}: an SQLite file of another program; name another file for the library")
        if version > len(MIGRATIONS):
            raise LibraryError(
                f"{self.path}: written by a newer Assay (format {version}, this one knows {len(MIGRATIONS)}); "
                "update Assay: pip install -U assay"
            )
        return version

    def close(self) -> None:
        """Close the file."""
        self.db.close()
        if self.scratch is not None:
            self.scratch.cleanup()
            self.scratch = None

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn errors of SQLite into a LibraryError of one line."""
        try:
            yield
        except sqlite3.OperationalError as error:
            busy = "; another process is writing to it, try again" if "locked" in str(error) else ""
            if "readonly" in str(error):
                busy = "; make the file and its folder writable"
            raise LibraryError(f"{self.path}: {error}{busy}") from error
        except sqlite3.DatabaseError as error:
            raise LibraryError(
                f"{self.path}: no Assay library, or a damaged one ({error}); move it away and read your listings again"
            ) from error

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it is written, or after an error nothing."""
        with self.errors():
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise

    def add(self, papers: Iterable[Paper]) -> Added:
        """Add records, all of them or (after an error or Ctrl-C) none; the same record again changes nothing."""
        counts: Counter[str] = Counter()
        touched: dict[int, _Papers | None] = {}  # the records of a paper, where it is new and they are all at hand
        asked: dict[tuple[int, int], float] = {}
        self.holding.clear()
        with self.writing():
            next_id = self._number("SELECT coalesce(max(id), 0) FROM paper") + 1
            for paper in papers:
                body = json.dumps(content(paper), sort_keys=True, separators=(",", ":")).encode()
                digest = hashlib.sha256(body).digest()[:16]
                known = self.db.execute("SELECT id, paper FROM record WHERE hash = ?", (digest,)).fetchone()
                if known:
                    record, home = known
                else:
                    runs = shingles(paper.abstract)
                    matches, unsure, new_shingles = self._compare(paper, runs)
                    home = min(matches, default=next_id)
                    for other in sorted(matches - {home}):
                        self._join(other, home)
                        touched.pop(other, None)
                    record = self._insert(paper, home, digest, body, len(runs), new_shingles)
                    asked |= {(record, other): containment for other, containment in unsure.items()}
                seen = [self._see(record, source) for source in paper.sources]
                if known and not any(seen):
                    counts["unchanged"] += 1
                    continue
                new = home == next_id
                next_id += new
                counts["added" if new else "merged"] += 1
                touched[home] = [paper] if new else None
            for paper_id, records in sorted(touched.items()):
                self._refresh(paper_id, records or self._records([paper_id])[paper_id])
            may_be_same = self._asked(asked)
        return Added(counts["added"], counts["merged"], counts["unchanged"], may_be_same)

    def _compare(self, paper: Paper, runs: frozenset[int]) -> tuple[set[int], dict[int, float], _Ids]:
        """The papers that `paper` is the same as, the records it may be the same as, and the shingles to index.

        Of long abstracts one shingle in four is indexed and looked up. Two abstracts that are the same by
        `merge.same`, one of them long, share 33 shingles or more, so the chance that too few of those are among the
        sample is below 0.1 %. Measured on 22,547 papers: 0.4 candidates to compare in full per paper.
        """
        found_by = json.dumps(marks(paper)[1])
        candidates = set(
            self._ids(
                "SELECT record FROM json_each(?) AS wanted CROSS JOIN mark ON mark.mark = wanted.value LIMIT ?",
                (found_by, _MOST),
            )
        )
        sample = list(runs) if len(runs) < _LONG else [one for one in runs if one % _SAMPLED == 0]
        rows = self.db.execute(
            "SELECT hash, record FROM json_each(?) JOIN shingle ON hash = value", (json.dumps(sample),)
        ).fetchall()
        spread = Counter(row[0] for row in rows)
        shared = Counter(row[1] for row in rows)
        few = json.dumps([record for record, count in shared.items() if count > 1])
        for record, size in self.db.execute(
            "SELECT record.id, runs FROM json_each(?) JOIN record ON record.id = value", (few,)
        ):
            guess = shared[record] * (_SAMPLED if max(size, len(runs)) >= _LONG else 1)
            if guess >= 0.5 * ASK * min(size, len(runs)):
                candidates.add(record)
        matches: set[int] = set()
        unsure: dict[int, float] = {}
        for record in candidates:
            body, home = self.db.execute("SELECT body, paper FROM record WHERE id = ?", (record,)).fetchone()
            if home in matches:
                continue
            verdict, containment = same(paper, _paper(body))
            if verdict == "same":
                matches.add(home)
            elif verdict == "ask":
                unsure[record] = containment
        return matches, unsure, [one for one in sample if spread[one] < _COMMON]

    def _insert(self, paper: Paper, home: int, digest: bytes, body: bytes, runs: int, sample: _Ids) -> int:
        """Keep a record and what it is found by; its row number."""
        record = self.db.execute(
            "INSERT INTO record (hash, body, runs, paper) VALUES (?, ?, ?, ?)",
            (digest, zlib.compress(body, 1), runs, home),
        ).lastrowid
        self.db.executemany("INSERT INTO mark VALUES (?, ?)", [(mark, record) for mark in set(marks(paper)[0])])
        self.db.executemany("INSERT INTO shingle VALUES (?, ?)", [(one, record) for one in sample])
        return record or 0

    def _see(self, record: int, source: Source) -> bool:
        """Note where a record was seen; False where that was known."""
        done = self.db.execute(
            "INSERT OR IGNORE INTO source (record, format, file, sha256, entry, first_line, last_line) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (record, *astuple(source)),
        )
        return done.rowcount == 1

    def _join(self, other: int, home: int) -> None:
        """Give the records and names of paper `other` to paper `home`."""
        self.db.execute("UPDATE record SET paper = ? WHERE paper = ?", (home, other))
        self.db.execute("UPDATE alias SET paper = ? WHERE paper = ?", (home, other))
        self.db.execute("DELETE FROM paper WHERE id = ?", (other,))

    def _refresh(self, paper_id: int, records: _Papers) -> None:
        """Compute a paper from its records; the triggers keep the search index in step."""
        paper = merged(records)
        key = self._free_key(paper, paper_id)
        name, colon, _ = paper.title.partition(": ")
        named = str(paper.extra.get("name") or (name if colon and name.count(" ") < 3 else ""))
        told = paper.abstract or str(paper.extra.get("summary", ""))
        topics = "\n".join(f"{area} · {sub}" if sub else area for area, sub in paper.topics)
        self._put(
            "paper",
            id=paper_id,
            key=key,
            venue=paper.venue,
            year=paper.year,
            status=paper.status,
            topics=topics,
            date=paper.date or str(paper.year or ""),
            code=bool(paper.links.get("code")),
        )
        self._put(
            "paper_text",
            id=paper_id,
            title=paper.title,
            name=named,
            abstract=told,
            authors="; ".join(paper.authors),
            cjk=grams(" ".join((paper.title, told, *paper.authors, *paper.keywords))),
        )
        names = {key} | {key_of(record) for record in records}.union(*map(identifiers, records))
        self.db.executemany(
            "INSERT OR IGNORE INTO alias VALUES (?, ?, ?)", [(name, name.partition(":")[2], paper_id) for name in names]
        )

    def _put(self, table: str, **row: object) -> None:
        """Write a row, over the one with its id where there is one."""
        changes = ", ".join(f"{column} = excluded.{column}" for column in row if column != "id")
        self.db.execute(
            f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))}) "  # noqa: S608 - our own names
            f"ON CONFLICT (id) DO UPDATE SET {changes}",
            tuple(row.values()),
        )

    def _free_key(self, paper: Paper, paper_id: int) -> str:
        """The paper's key; another one where a different paper holds it (two that share a boilerplate abstract)."""
        taken = "SELECT 1 FROM paper WHERE key = ? AND id <> ?"
        if not self.db.execute(taken, (paper.key, paper_id)).fetchone():
            return paper.key
        by_title = key_of(replace(paper, ids={}, abstract=""))
        return f"{by_title}-{paper_id}" if self.db.execute(taken, (by_title, paper_id)).fetchone() else by_title

    def _asked(self, asked: dict[tuple[int, int], float]) -> tuple[MaybeSame, ...]:
        found: dict[tuple[str, str], float] = {}
        for pair, containment in asked.items():
            keys = sorted(
                self.db.execute(
                    "SELECT key FROM record JOIN paper ON paper.id = paper WHERE record.id = ?", (one,)
                ).fetchone()[0]
                for one in pair
            )
            if keys[0] != keys[1]:
                found[keys[0], keys[1]] = max(containment, found.get((keys[0], keys[1]), 0.0))
        return tuple(MaybeSame(one, other, containment) for (one, other), containment in found.items())

    def get(self, name: str) -> Paper:
        """The paper with this key, former key, identifier ("AbC12_-xyz", "2601.01234"), link, title, or start of a key.

        NoSuchPaper, with what is near, where none or several answer.
        """
        wanted = _storable(name).strip()
        if link := _LINK.search(wanted):
            value = link["id"] if not link["arxiv"] else re.sub(r"(v\d+)?(\.pdf)?$", "", link["id"])
            kind = next(kind for kind in ("openreview", "arxiv", "doi") if link[kind])
            wanted = f"{kind}:{value.lower() if kind == 'doi' else value}"
        if not wanted:
            raise NoSuchPaper("no paper is named by nothing: give a key, an identifier or the start of one")
        with self.errors():
            found = self._ids("SELECT DISTINCT paper FROM alias WHERE key = ? OR bare = ? LIMIT 6", (wanted, wanted))
            if not found:
                title = " ".join(wanted.casefold().split())
                titles = self.db.execute("SELECT id, title FROM paper_text")
                found = [row for row, other in titles if other.casefold() == title][:6]
            if not found:
                span = (wanted, wanted + "\U0010ffff")
                found = self._ids(
                    "SELECT DISTINCT paper FROM alias WHERE key >= ? AND key < ? UNION "
                    "SELECT DISTINCT paper FROM alias WHERE bare >= ? AND bare < ? LIMIT 6",
                    span + span,
                )
            papers = self.load(found)
        if len(papers) == 1:
            return papers[0]
        if papers:
            raise NoSuchPaper(
                f"{name!r} is the title or start of several papers: {', '.join(paper.key for paper in papers)}"
            )
        raise NoSuchPaper(f"no paper {name!r} in {self.path}; `assay search` finds it by its words")

    def list(
        self,
        *,
        venue: str | None = None,
        topic: str | None = None,
        status: str | Sequence[str] | None = None,
        since: str | None = None,
        has: Iterable[str] = (),
        keys: Iterable[str] | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> _Papers:
        """Papers, newest first, that pass the filters of `where`."""
        condition, values = where(venue=venue, topic=topic, status=status, since=since, has=has, keys=keys)
        with self.errors():
            found = self._ids(
                f"SELECT id FROM paper WHERE {condition} ORDER BY date DESC, id LIMIT ? OFFSET ?",  # noqa: S608
                (*values, -1 if limit is None else min(limit, MOST), min(offset, MOST)),
            )
            return self.load(found)

    def count(
        self,
        *,
        venue: str | None = None,
        topic: str | None = None,
        status: str | Sequence[str] | None = None,
        since: str | None = None,
        has: Iterable[str] = (),
        keys: Iterable[str] | None = None,
    ) -> int:
        """How many papers pass the filters of `where`."""
        condition, values = where(venue=venue, topic=topic, status=status, since=since, has=has, keys=keys)
        with self.errors():
            return self._number(f"SELECT count(*) FROM paper WHERE {condition}", values)  # noqa: S608

    def counts(self) -> dict[str, dict[str, int]]:
        """Papers by `status`, `venue`, `year` and `topic`, the most frequent first; a paper may have several topics."""
        found: dict[str, dict[str, int]] = {}
        with self.errors():
            for column in ("status", "venue", "year"):
                rows = self.db.execute(
                    f"SELECT {column}, count(*) AS n FROM paper WHERE coalesce({column}, '') <> '' "  # noqa: S608
                    "GROUP BY 1 ORDER BY n DESC, 1"
                )
                found[column] = {str(value): n for value, n in rows}
            rows = self.db.execute("SELECT topics FROM paper WHERE topics <> ''")
            found["topic"] = dict(Counter(topic for (topics,) in rows for topic in topics.split("\n")).most_common())
        return found

    def load(self, ids: Sequence[int]) -> _Papers:
        """The papers with these row numbers, in that order."""
        keys = dict(
            self.db.execute(
                "SELECT paper.id, paper.key FROM json_each(?) JOIN paper ON paper.id = value", (json.dumps(ids),)
            )
        )
        records = self._records(ids)
        return [merged(records[one], keys[one]) for one in ids]

    def _records(self, ids: Sequence[int]) -> dict[int, _Papers]:
        wanted = (json.dumps(ids),)
        sources: dict[int, Any] = {}
        for record, *parts in self.db.execute(
            "SELECT record, format, file, sha256, entry, first_line, last_line FROM json_each(?) "
            "JOIN record ON paper = value JOIN source ON record = record.id",
            wanted,
        ):
            sources.setdefault(record, []).append(dict(zip(_SOURCE, parts, strict=True)))
        found: dict[int, _Papers] = {}
        for record, paper, body in self.db.execute(
            "SELECT record.id, paper, body FROM json_each(?) JOIN record ON paper = value", wanted
        ):
            told = json.loads(zlib.decompress(body)) | {"sources": sources.get(record, ())}
            found.setdefault(paper, []).append(Paper.from_dict(told))
        return found

    def _ids(self, sql: str, values: Sequence[Any]) -> _Ids:
        return [int(row[0]) for row in self.db.execute(sql, values)]

    def _number(self, sql: str, values: Sequence[Any] = ()) -> int:
        return int(self.db.execute(sql, values).fetchone()[0])


def _is_read_only(path: str) -> bool:
    """Whether there is a library that this process cannot write: SQLite needs its folder too."""
    if path == ":memory:" or not os.path.isfile(path):
        return False
    return not (os.access(path, os.W_OK) and os.access(Path(path).parent, os.W_OK))


def _read_only_uri(path: str) -> str:
    """The file for reading only. Without a log beside it nobody writes to it, and SQLite need not create one."""
    still = "" if os.path.exists(f"{path}-wal") else "&immutable=1"
    return f"{Path(path).absolute().as_uri()}?mode=ro{still}"


def _storable(text: str) -> str:
    """Text that SQLite takes: bytes of a command line that are no UTF-8 become "\ufffd"."""
    return os.fsencode(text).decode("utf-8", "replace") if _SURROGATE.search(text) else text


def _is_date(text: str) -> bool:
    """Whether a text is an ISO date, or its year, or its year and month."""
    if not re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", text, re.ASCII):
        return False
    try:
        date.fromisoformat(text + "-01" * (2 - text.count("-")))
    except ValueError:
        return False
    return True


def _paper(body: bytes) -> Paper:
    return Paper.from_dict(json.loads(zlib.decompress(body)))


def where(
    *,
    venue: str | None = None,
    topic: str | None = None,
    status: str | Sequence[str] | None = None,
    since: str | None = None,
    has: Iterable[str] = (),
    keys: Iterable[str] | None = None,
) -> tuple[str, list[Any]]:
    """The filters as a condition on the table `paper`, with its values.

    `venue`: the whole name or its first words ("ICLR" for "ICLR 2026"); `topic`: any part of "Area · Subarea"; both
    whatever their case. `status`: one or several of STATUSES. `since`: an ISO date or the start of one; a paper known
    by its year only passes where the year does. `has`: "code", a link to it; "claims", where they were looked for
    (`assay.shelf.note_claims`). `keys`: only these papers, by key or former key. ValueError for a value that is none.
    """
    parts, values = ["1"], list[Any]()
    if venue is not None:
        parts.append("(lower(venue) = ? OR substr(lower(venue), 1, ?) = ?)")
        name = " ".join(_storable(venue).lower().split())
        values += [name, len(name) + 1, name + " "]
    if topic is not None:
        parts.append("instr(lower(topics), ?) > 0")
        values.append(" ".join(_storable(topic).lower().split()))
    if status is not None:
        wanted = [one.lower() for one in ([status] if isinstance(status, str) else status)]
        for one in wanted:
            if one not in STATUSES:
                raise ValueError(f"status: {one!r} is none of {', '.join(STATUSES)}")
        parts.append(f"status IN ({', '.join('?' * len(wanted))})")
        values += wanted
    if since is not None:
        if not _is_date(since):
            raise ValueError(f"since: {since!r} is no date; write it as 2026-02-21, 2026-02 or 2026")
        parts.append("(date >= ? OR length(date) = 4 AND date >= ?)")
        values += [since, since[:4]]
    for what in has:
        if what not in HAS:
            raise ValueError(f"has: {what!r} is none of {', '.join(HAS)}")
        parts.append(HAS[what])
    if keys is not None:
        parts.append("paper.id IN (SELECT alias.paper FROM json_each(?) JOIN alias ON alias.key = value)")
        values.append(json.dumps(list(keys)))
    return " AND ".join(parts), values
