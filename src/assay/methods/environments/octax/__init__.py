"""Octax: CHIP-8 arcade games as environments, thousands at once."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
