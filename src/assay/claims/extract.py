"""Checkable claims out of an abstract: `extract`. Rules first; a language model only where one is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.claims.cues import begins_own_work, is_claim
from assay.claims.names import baseline_in, data_in, direction_of, metric_in
from assay.claims.quantities import Quantity, quantities
from assay.claims.sentences import sentences


@dataclass(frozen=True)
class FoundClaim:
    """One sentence of an abstract that a study could confirm or refute. Offsets are into the abstract as given."""

    start: int
    end: int
    sentence: str
    quantities: tuple[Quantity, ...] = ()
    direction: str = ""
    """"better", "worse", "equal" or ""."""
    compared: str = ""
    """What is measured: "accuracy", "training time"; "" where it is not named."""
    baseline: tuple[int, int] | None = None
    """Where the sentence names what it compares with."""
    data: tuple[int, int] | None = None
    """Where it names data sets or benchmarks."""


_LONGEST = 3000
"""Letters of a sentence that is looked at; what is longer is no sentence."""

Model = Callable[[str], list[FoundClaim]]
"""Finds claims in an abstract in place of the rules, as `assay.claims.model.remote` does."""


def extract(abstract: str, model: Model | None = None) -> list[FoundClaim]:
    """The checkable claims of an abstract, plain or with TeX, in order.

    A checkable claim states a result: a measured quantity, a comparison, or a guarantee that is proved. Hedges ("we
    believe", "could") and facts of the set-up ("306 test cases") are none. How often the rules are right is measured in
    tests/claims/gold. `model` takes their place where one is given; off by default.
    """
    if model is not None:
        return model(abstract)
    return [claim_of(abstract, *one) for one in claim_sentences(abstract)]


def claim_sentences(abstract: str) -> list[tuple[int, int, list[Quantity]]]:
    """Where the sentences are that `extract` takes for claims, each with its quantities; enough to count them."""
    found = []
    own = after = False
    for start, end in sentences(abstract):
        sentence = abstract[start : min(end, start + _LONGEST)]
        own = own or begins_own_work(sentence)
        if not own or end - start > _LONGEST:
            continue
        numbers = quantities(abstract, start, end)
        after = is_claim(sentence, bool(numbers), own, after)
        if after:
            found.append((start, end, numbers))
    return found


def claim_of(abstract: str, start: int, end: int, numbers: list[Quantity]) -> FoundClaim:
    """The claim that a sentence makes, with what it names."""
    sentence = abstract[start:end]
    near = numbers[0].start - start if numbers else None
    return FoundClaim(
        start,
        end,
        sentence,
        tuple(numbers),
        direction_of(sentence),
        metric_in(sentence, near),
        _moved(baseline_in(sentence), start),
        _moved(data_in(sentence), start),
    )


def _moved(span: tuple[int, int] | None, by: int) -> tuple[int, int] | None:
    return None if span is None else (span[0] + by, span[1] + by)
