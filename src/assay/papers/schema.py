"""The tables of a library file, and how an older file becomes one of today."""

from __future__ import annotations

TOKENIZER = "porter unicode61 remove_diacritics 2"
"""How FTS5 cuts text into words: stems, accents ignored."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE paper (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, venue TEXT NOT NULL, year INTEGER, status TEXT NOT NULL,
            topics TEXT NOT NULL, date TEXT NOT NULL)""",
        # apart from `paper`, so that filters read small rows
        """CREATE TABLE paper_text (
            id INTEGER PRIMARY KEY REFERENCES paper ON DELETE CASCADE, title TEXT NOT NULL, name TEXT NOT NULL,
            abstract TEXT NOT NULL, authors TEXT NOT NULL, cjk TEXT NOT NULL)""",
        "CREATE INDEX paper_date ON paper (date DESC, id)",
        """CREATE TABLE record (
            id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, body BLOB NOT NULL, runs INTEGER NOT NULL,
            paper INTEGER NOT NULL REFERENCES paper DEFERRABLE INITIALLY DEFERRED,
            added TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')))""",
        "CREATE INDEX record_paper ON record (paper)",
        """CREATE TABLE source (
            record INTEGER NOT NULL REFERENCES record, format TEXT NOT NULL, file TEXT NOT NULL, sha256 TEXT NOT NULL,
            entry INTEGER NOT NULL, first_line INTEGER NOT NULL, last_line INTEGER NOT NULL,
            PRIMARY KEY (record, sha256, entry)) WITHOUT ROWID""",
        """CREATE TABLE mark (
            mark TEXT NOT NULL, record INTEGER NOT NULL REFERENCES record, PRIMARY KEY (mark, record)) WITHOUT ROWID""",
        """CREATE TABLE shingle (
            hash INTEGER NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (hash, record)) WITHOUT ROWID""",
        """CREATE TABLE alias (
            key TEXT PRIMARY KEY, bare TEXT NOT NULL,
            paper INTEGER NOT NULL REFERENCES paper DEFERRABLE INITIALLY DEFERRED) WITHOUT ROWID""",
        "CREATE INDEX alias_bare ON alias (bare)",
        "CREATE INDEX alias_paper ON alias (paper)",
        f"""CREATE VIRTUAL TABLE words USING fts5 (
            title, name, abstract, authors, cjk, content='paper_text', content_rowid='id',
            tokenize='{TOKENIZER}')""",
        """CREATE TRIGGER text_insert AFTER INSERT ON paper_text BEGIN
            INSERT INTO words (rowid, title, name, abstract, authors, cjk)
            VALUES (new.id, new.title, new.name, new.abstract, new.authors, new.cjk); END""",
        """CREATE TRIGGER text_delete AFTER DELETE ON paper_text BEGIN
            INSERT INTO words (words, rowid, title, name, abstract, authors, cjk)
            VALUES ('delete', old.id, old.title, old.name, old.abstract, old.authors, old.cjk); END""",
        """CREATE TRIGGER text_update AFTER UPDATE ON paper_text BEGIN
            INSERT INTO words (words, rowid, title, name, abstract, authors, cjk)
            VALUES ('delete', old.id, old.title, old.name, old.abstract, old.authors, old.cjk);
            INSERT INTO words (rowid, title, name, abstract, authors, cjk)
            VALUES (new.id, new.title, new.name, new.abstract, new.authors, new.cjk); END""",
    ),
    (
        # whether any listing links the paper's code; has_code is of `assay.papers.library`, and looks into a record
        "ALTER TABLE paper ADD COLUMN code INTEGER NOT NULL DEFAULT 0",
        """UPDATE paper SET code = EXISTS (
            SELECT 1 FROM record WHERE record.paper = paper.id AND has_code(record.body))""",
        # whether a paper's abstract was looked through for claims, and how many it makes
        """CREATE TABLE claimed (
            paper INTEGER PRIMARY KEY REFERENCES paper ON DELETE CASCADE, sentences INTEGER NOT NULL)""",
        """CREATE TRIGGER text_claims AFTER UPDATE OF abstract ON paper_text WHEN new.abstract <> old.abstract BEGIN
            DELETE FROM claimed WHERE paper = new.id; END""",
        # what the reader follows: kind is topic, author, query, method or like
        """CREATE TABLE follow (
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, what TEXT NOT NULL,
            added TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')), UNIQUE (kind, what))""",
        # what the reader made of a paper: read, keep or no; by key, since papers merge
        """CREATE TABLE judged (
            key TEXT PRIMARY KEY, judgement TEXT NOT NULL,
            at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))) WITHOUT ROWID""",
        # in which row of an encoder's file the vector of a paper stands
        """CREATE TABLE vector (
            encoder TEXT NOT NULL, paper INTEGER NOT NULL REFERENCES paper ON DELETE CASCADE, row INTEGER NOT NULL,
            PRIMARY KEY (encoder, paper)) WITHOUT ROWID""",
        "CREATE INDEX vector_paper ON vector (paper)",
        """CREATE TRIGGER text_vectors AFTER UPDATE OF title, abstract ON paper_text
            WHEN new.title <> old.title OR new.abstract <> old.abstract BEGIN
            DELETE FROM vector WHERE paper = new.id; END""",
        # one value per name: the last record that the digest has shown
        "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    ),
)
"""One tuple of statements per version of the file; `PRAGMA user_version` counts those done."""
