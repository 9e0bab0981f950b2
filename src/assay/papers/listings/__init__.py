"""Readers of listings, one file per format; `read_source` picks the one that fits."""
