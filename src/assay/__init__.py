"""Assay: from a paper listing to a tested claim."""

import lazy_loader as _lazy

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "catalogue": ["cards"],
        "papers.library": ["Library"],
        "studies.ledger": ["ledger"],
        "studies.run": ["run"],
    },
)
