"""Which way a number goes: up in "30% higher", down in "a reduction of 30%", neither in "an accuracy of 30%"."""

from __future__ import annotations

import re

_UP_CHANGE = r"improvements?|increases?|gains?|boosts?|enhancements?|speed[- ]?ups?|accelerations?|advantages?|rises?|lifts?|leads?"
_DOWN_CHANGE = (
    r"reductions?|decreases?|drops?|savings?|declines?|degradations?|(?:accuracy|performance|quality|precision|utility) loss(?:es)?|"
    r"loss(?:es)? (?:in|of) (?:accuracy|performance|quality|precision)"
)
_UP_NOUN = rf"{_UP_CHANGE}|higher|better|faster|more|greater|larger|longer|stronger|deeper|wider|quicker|superior|improved|increased|additional|extra|speed"
_DOWN_NOUN = rf"{_DOWN_CHANGE}|compression|lower|less|fewer|smaller|cheaper|shorter|slower|worse|lighter|reduced|decreased|simpler|narrower|sparser|weaker"
_UP_VERB = (
    r"improv\w+|increas\w+|boost\w*|gain(?:s|ed|ing)?|enhanc\w+|rais\w+|exceed\w*|surpass\w*|outperform\w*|out-perform\w*|grow\w*|grew|rise[sn]?|rising|rose|"
    r"lift\w*|advanc(?:e|es|ed|ing)|amplif\w+|beats?|beating|accelerat\w+|speed(?:s|ed|ing)?[- ]?up|speeds|sped up|wins?|won|outscor\w+|extend\w*|expand\w*|elevat\w+|"
    r"scal(?:es|ed|ing) up|faster|better|higher|superior|more|larger|greater|stronger|longer"
)
_DOWN_VERB = (
    r"reduc\w+|decreas\w+|lower(?:s|ed|ing)?|drop(?:s|ped|ping)?|sav(?:e|es|ed|ing|ings)|cut(?:s|ting)?|slash\w*|declin\w+|shr[aiu]nk\w*|minimi[sz]\w+|diminish\w*|"
    r"degrad\w+|fall(?:s|en|ing)?|fell|shorten\w*|compress\w*|mitigat\w+|alleviat\w+|suppress\w*|trim\w*|prun(?:e|es|ed|ing)|halv\w+|lessen\w*|curtail\w*|"
    r"less|fewer|smaller|cheaper|shorter|slower|worse|deteriorat\w+|underperform\w*|lags?|lagging|removes?|removing|eliminat\w+|weaken\w*|loses?|losing|lost"
)
_CHANGE = re.compile(rf"\b(?:(?P<up>{_UP_VERB}|{_UP_NOUN})|(?P<down>{_DOWN_VERB}|{_DOWN_NOUN}))\b", re.IGNORECASE)
_LINK = r"(?!(?:and|or|while|with|on|for|than|compared|the|to|which|that|but|when|by|at|from|only|as|is|are|was|were|using|under)\b)"
_RIGHT = re.compile(
    rf"^[\s)\-$]*(?:(?:of|in) )?(?:{_LINK}[\w@/.+'-]+[ -]){{0,4}}?(?:(?P<up>{_UP_NOUN})|(?P<down>{_DOWN_NOUN}))\b",
    re.IGNORECASE,
)
"""After a number: "30% higher", "12% relative error reduction", "2.6x speed-up"."""
_HEAD = re.compile(
    rf"\b(?:(?P<up>{_UP_CHANGE})|(?P<down>{_DOWN_CHANGE}))\b(?: (?:in|on|for|over|to|of|with|from|factors?|rates?|ratios?)\b[^,;:.]{{0,80}}?)?\s?(?:of|by|up to|between|from|reaching|is|was|:|\()$",
    re.IGNORECASE,
)
"""Before a number: "an improvement in accuracy of", "speed-ups up to"."""
_QUALIFIER = re.compile(
    r"(?:\s|^)(?:by|of|up to|about|around|roughly|approximately|nearly|almost|over|(?:more|less|fewer|higher|lower|greater|larger|smaller|better|worse) than|at least|at most|only|just|an?|the|as (?:much|high|many) as|"
    r"average|mean|maximum|minimum|absolute|relative|another|further|additional|margins?|factors?|above|below|close to|some|even|additionally|\$|~|\+|\\sim|"
    r"an average|on average|average of|a factor of|between|from|(?:a|the) (?:large |significant |substantial |wide )?margin of|overall|total)$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;:]|\b(?:while|whereas|but|although|where|which|when|achiev\w+|reach(?:es|ed|ing)?|attain\w*|obtain\w*|yield\w*|resulting|with an? (?:\w+ ){0,3}(?:of|accuracy)|"
    r"maintain\w*|retain\w*|keep\w*)\b",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(?:accuracy|precision|recall|score|rate|error|mAP|AP|IoU|F1|AUC|PSNR|latency|time|correlation|agreement)\s(?:of|is|at)$",
    re.IGNORECASE,
)


def direction_of_number(sentence: str, begin: int, end: int) -> str:
    """ "up", "down" or "" for the number between two offsets of a sentence.

    A sign tells ("+12%"); else the noun or comparative after it ("30% fewer"); else what it belongs to before it: a noun
    of change with "of" or a verb of change with "by", with "to", or right before it. A number that only states a level
    ("reaches 94% accuracy and outperforms") has none, however many such words stand elsewhere.
    """
    told = sentence[begin:end]
    if told.lstrip("$").startswith("+") or sentence[:begin].endswith("+"):
        return "up"
    if told.lstrip("$").startswith("−"):
        return "down"
    after = _RIGHT.match(sentence[end : end + 90])
    if after:
        return "up" if after["up"] else "down"
    return _before(
        sentence[max(0, begin - 220) : begin].rstrip("$ ("), re.search(r"(?:x|X|×|times|fold|\})\$?$", told) is not None
    )


def _before(text: str, multiple: bool) -> str:
    """The direction by what stands before a number; a multiple may follow its object ("speeds up planning 45x")."""
    bare, by = text, False
    while True:
        bare = bare.rstrip(" $(")
        found = _QUALIFIER.search(bare)
        if not found:
            break
        by = by or found[0].strip().lower() == "by"
        if found[0].strip().lower() in ("of", "up to", "between", "from"):
            head = _HEAD.search(bare)
            if head:
                return "up" if head["up"] else "down"
            if found[0].strip().lower() == "of" and _STATED.search(bare):
                return ""
        bare = bare[: found.start()]
    clause = bare[max((match.end() for match in _CLAUSE.finditer(bare)), default=0) :]
    changes = list(_CHANGE.finditer(clause))
    if not changes:
        return ""
    last = changes[-1]
    gap = clause[last.end() :]
    to = re.search(r"\b(?:to|down to|up to)$", gap)
    near = not re.search(r"[,.]|\b(?:on|to|with|of|for|in|from|is|are|and|at|than)\b", gap) and len(gap.split()) <= (
        4 if multiple else 1
    )
    if by or near or (to and len(gap.split()) <= 8):
        return "up" if last["up"] else "down"
    return ""
