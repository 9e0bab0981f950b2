"""A listing becomes a library: the Paper record, readers, the SQLite file, search."""
