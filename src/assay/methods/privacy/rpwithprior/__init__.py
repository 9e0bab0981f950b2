"""RPWithPrior: label differential privacy in regression, with the five baselines of its paper.

Source: H. Liu and R. Huang, "RPWithPrior: Label Differential Privacy in Regression", TMLR 2026, arXiv 2601.22625;
official notebooks: github.com/liuhaixias1/Response_privacy. What differs from either is listed in card.toml.

Where to look: `release` (the randomiser for a known interval), `interval` (the optimal interval), `priors` (histograms
of the labels, private and not), `mechanisms` (RPWithPrior itself and what all mechanisms share), `baselines`,
`regressor` (for scikit-learn users), `audit` (the exact privacy loss of a fitted mechanism).

This is research code. The privacy proofs hold for real numbers; noise in double precision is not hardened against
attacks on its low-order bits (I. Mironov, "On significance of the least significant bits for differential privacy",
CCS 2012). A seed given as `random_state` must stay secret and serve one release only: whoever knows it can
subtract the noise.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
