"""The randomiser of RPWithPrior for a known interval (section 3 of the paper).

With projected label p = min(max(y, A1), A2) (eq. 3.6), half-width d and budget e, a release z has support
[A1 - d, A2 + d] and density e^e / Z on the window [p - d, p + d] and 1 / Z on the rest, Z = 2 d e^e + (A2 - A1).
The densities of two labels differ by a factor of e^e at most: pure e-label-DP (Proposition 3.1).

All formulas below are scaled by e^-e, so that any budget works without overflow. The mean is affine in p (ours, by
integration), which makes the release easy to debias: z -> (z - offset) / slope is post-processing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.methods.privacy.rpwithprior.priors import Array


@dataclass(frozen=True)
class WindowRelease:
    """Releases labels with more probability near the true one.

    Args:
        low: A1, lower end of the interval labels are projected to, in label units.
        high: A2 > A1, its upper end.
        half_width: half the width of the favoured window, > 0, in label units (delta in the paper).
        epsilon: budget of one release, >= 0; 0 is the limit of a release that says nothing.
        debias: release (z - offset) / slope, unbiased for labels inside [low, high]; needs epsilon > 0. Ours.

    Raises:
        ValueError: an argument outside its range.
    """

    low: float
    high: float
    half_width: float
    epsilon: float
    debias: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"interval is [{self.low}, {self.high}]: give two finite numbers, low < high")
        if not (math.isfinite(self.half_width) and self.half_width > 0):
            raise ValueError(f"half_width is {self.half_width}: give a finite number > 0")
        if not (math.isfinite(self.epsilon) and self.epsilon >= 0):
            raise ValueError(f"epsilon is {self.epsilon}: give a finite number >= 0")
        if self.debias and self.slope == 0:
            raise ValueError("debias needs epsilon > 0: a release that says nothing cannot be corrected")

    @property
    def width(self) -> float:
        """A2 - A1."""
        return self.high - self.low

    @property
    def _scaled_z(self) -> float:
        """Z e^-epsilon."""
        return 2 * self.half_width + math.exp(-self.epsilon) * self.width

    @property
    def window_mass(self) -> float:
        """Probability that z is drawn from the window, 2 d e^epsilon / Z; the same for every label."""
        return 2 * self.half_width / self._scaled_z

    @property
    def slope(self) -> float:
        """dE[z|p]/dp before debiasing: 2 d (e^epsilon - 1) / Z, below 1 (releases shrink to the middle)."""
        return -2 * self.half_width * math.expm1(-self.epsilon) / self._scaled_z

    @property
    def offset(self) -> float:
        """E[z|p] - slope p before debiasing: (A1 + A2)(A2 - A1 + 2 d) / (2 Z)."""
        return (self.low + self.high) * (self.width / 2 + self.half_width) * math.exp(-self.epsilon) / self._scaled_z

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest release."""
        low, high = self.low - self.half_width, self.high + self.half_width
        return (self._debiased(low), self._debiased(high)) if self.debias else (low, high)

    def _debiased(self, z: float) -> float:
        return (z - self.offset) / self.slope

    def draw(self, y: Array, rng: np.random.Generator) -> Array:
        """One release per label, same shape."""
        p = np.clip(y, self.low, self.high)
        u = rng.random(p.shape)  # the place within the window, or else within the rest
        window = p + self.half_width * (2 * u - 1)
        # the support without the window is as long as the interval; cut it open at the window
        rest = self.low + self.width * u
        rest += np.where(rest < p, -self.half_width, self.half_width)
        z = np.where(rng.random(p.shape) < self.window_mass, window, rest)
        if self.debias:
            z = (z - self.offset) / self.slope
        return np.clip(z, *self.support)  # rounding must not leave the support

    def log_density(self, z: Array, y: Array) -> Array:
        """log p(z | y), shape of z and y broadcast; -inf outside the support."""
        low, high = self.support
        inside = (z >= low) & (z <= high)
        base = -self.epsilon - math.log(self._scaled_z)
        if self.debias:
            z = z * self.slope + self.offset
            base += math.log(self.slope)
        near = np.abs(z - np.clip(y, self.low, self.high)) <= self.half_width
        return np.where(inside, np.where(near, base + self.epsilon, base), -np.inf)

    def error_moments(self, y: Array) -> tuple[Array, Array]:
        """E[z - y] and E[(z - y)^2] for each label, exact. Quadratic in y between A1 and A2 and beyond each."""
        p = np.clip(y, self.low, self.high)
        a, b = self.low - self.half_width - p, self.high + self.half_width - p
        base = math.exp(-self.epsilon) / self._scaled_z
        extra = -math.expm1(-self.epsilon) / self._scaled_z
        first = base * (b**2 - a**2) / 2
        second = base * (b**3 - a**3) / 3 + extra * 2 * self.half_width**3 / 3
        if self.debias:
            first, second = np.zeros_like(p), (second - first**2) / self.slope**2
        shift = p - y
        return first + shift, second + 2 * shift * first + shift**2
