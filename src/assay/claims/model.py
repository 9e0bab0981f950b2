"""Claims by a language model behind an OpenAI-compatible address, in place of the rules; off unless it is set up.

`ASSAY_CLAIMS_URL` (".../v1"), `ASSAY_CLAIMS_MODEL` and, where the server wants one, `ASSAY_CLAIMS_KEY`. The abstract is
sent to that address. An answer is checked: it may only name sentences that the abstract has, and their quantities are
read by the rules. Where it is none, `ModelError` is raised, and whoever asked falls back on the rules and says so.
"""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.request
from collections.abc import Callable

from assay.claims.extract import FoundClaim, claim_of
from assay.claims.quantities import quantities
from assay.claims.sentences import sentences

_ASK = """
Below are the numbered sentences of a paper's abstract. Answer with a JSON list of the numbers of those that state a
result which an experiment or a proof could confirm or refute: measured quantities, comparisons, findings, guarantees.
Leave out hedges, motivation, descriptions of the method and facts of the set-up. Answer with the list alone.
"""
_LONGEST = 1_000_000


class ModelError(Exception):
    """The model cannot be asked, or its answer is none; one line."""


def remote() -> Callable[[str], list[FoundClaim]]:
    """The model that the settings name, for `extract(abstract, model=remote())`. ModelError where they are missing."""
    url, model = os.environ.get("ASSAY_CLAIMS_URL", ""), os.environ.get("ASSAY_CLAIMS_MODEL", "")
    if not url or not model:
        raise ModelError("ASSAY_CLAIMS_URL and ASSAY_CLAIMS_MODEL must name an OpenAI-compatible address and its model")
    if not url.startswith(("https://", "http://")):
        raise ModelError(f"ASSAY_CLAIMS_URL: {url!r} is no address; write it as https://host/v1")
    key = os.environ.get("ASSAY_CLAIMS_KEY", "")
    return lambda abstract: _found(abstract, _numbers(_asked(url, model, key, abstract), len(sentences(abstract))))


def _asked(url: str, model: str, key: str, abstract: str, seconds: float = 60) -> str:
    told = "\n".join(f"{number}. {abstract[start:end]}" for number, (start, end) in enumerate(sentences(abstract), 1))
    body = {"model": model, "temperature": 0, "messages": [{"role": "user", "content": f"{_ASK}\n\n{told}"}]}
    request = urllib.request.Request(  # noqa: S310 - http and https only, see `remote`
        f"{url.rstrip('/')}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    if key:
        request.add_unredirected_header("Authorization", f"Bearer {key}")  # another host must not get it
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:  # noqa: S310
            found = json.loads(answer.read(_LONGEST))
        return str(found["choices"][0]["message"]["content"])
    except urllib.error.HTTPError as error:
        raise ModelError(f"{url}: the server answered {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError, RecursionError) as error:
        raise ModelError(f"{url}: no usable answer: {error}") from None


def _numbers(answer: str, most: int) -> list[int]:
    """The numbers of an answer, counted from 0; ModelError for anything else than a list of numbers that exist."""
    start, end = answer.find("["), answer.rfind("]")
    try:
        found = json.loads(answer[start : end + 1])
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(type(number) is int for number in found):
        raise ModelError(f"the model's answer is no list of numbers: {answer[:60]!r}")
    numbers = sorted({number - 1 for number in found})
    if numbers and not (numbers[0] >= 0 and numbers[-1] < most):
        raise ModelError(f"the model's answer names a sentence that does not exist: {answer[:60]!r}")
    return numbers


def _found(abstract: str, numbers: list[int]) -> list[FoundClaim]:
    spans = sentences(abstract)
    return [claim_of(abstract, *spans[number], quantities(abstract, *spans[number])) for number in numbers]
