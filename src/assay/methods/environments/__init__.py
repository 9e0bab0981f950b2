"""Environments: worlds that reinforcement learning acts in, by the thousand.

Public names load on first use, so that importing one method never loads another.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
