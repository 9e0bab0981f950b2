"""What a claim names: what is measured, what it is compared with, on which data, and whether that is better or worse."""

from __future__ import annotations

import re

_DATA_NOUN = (
    r"(?:data ?sets?|benchmarks?|corpus|corpora|test ?sets?|test suites?|suites?|challenges?|competitions?|leaderboards?|collections?|"
    r"environments?|games|tasks?|splits?|sequences|repositor(?:y|ies)|databases?)"
)
_NAME = r"[A-Z][\w'.]*(?:[-+/@]\w[\w.]*)*(?: (?:[A-Z][\w.]*|\d[\w.]*|v\d)(?:[-+/]\w[\w.]*)*){0,3}"
_CODE = r"(?:[A-Z][\w.+/-]*[A-Z\d][\w.+/-]*|[a-z]+[A-Z][\w-]*\w|[A-Z][a-z]+[- ]\d+[A-Z]?(?![\w%]))(?: (?:V?\d[\w.]*|[A-Z][\w.]*))?"
_AND = r"(?:, (?:and )?| and |/| & )(?:the |on )?"
_DATA = (
    re.compile(
        rf"\b{_DATA_NOUN}(?:,? (?:such as|including|namely|named|called|like|i\.e\.,?|e\.g\.,?)|,|:| \() ?(?:the )?"
        rf"(?P<name>{_NAME}(?:{_AND}{_NAME})*)"
    ),
    re.compile(
        rf"\b(?:on|across|over|in|using|from|of|for|the|both|and) (?:[a-z][\w-]* ){{0,3}}(?P<name>{_NAME}(?:{_AND}{_NAME})*)"
        rf" (?:(?!on|in|for|with|and|to|of|is|at|over)[a-z-]+ ){{0,2}}{_DATA_NOUN}\b"
    ),
    re.compile(rf"\b(?:on|across|over) (?:[a-z][\w-]* ){{0,2}}(?P<name>{_CODE}(?:{_AND}{_CODE})*)(?![\w-])"),
)
"""Names beside a word for data, else names that look like codes after "on"."""

_AGAINST = (
    r"(?:out-?perform(?:s|ed|ing)?|surpass(?:es|ed|ing)?|beat(?:s|ing)?|exceed(?:s|ed|ing)?|dominat(?:es|ed|ing)|"
    r"(?:compared|comparison|comparable|competitive|favou?rably|par|similar|superior|inferior|relative|equivalent|close|respect|match\w*|"
    r"better results?) (?:to|with|against)|versus|vs\.?|against|rivals?|rivall?ing|match(?:es|ed|ing)?|upon|than|over)"
)
_STOP = (
    r"(?:in|on|by|for|with|when|while|at|and|under|across|as|from|using|that|which|where|during|without|but|or|both|due|given|via|after|before|"
    r"is|are|was|were|has|have|can|to|respectively|especially|particularly|including|such|than|even|whose|if|only|also|almost|\w+ly)"
)
_PHRASE = re.compile(
    rf"\b{_AGAINST} (?:(?:is|was|were) )?(?:possible |achieved |obtained |reported )?(?:with |by )?(?:that of |those of |what )?"
    rf"(?P<name>(?!{_STOP}\b)(?:[^\s,;:()$]+ ){{0,6}}?[^\s,;:()$]+?)(?=[.,;:)]*(?: \(|\s{_STOP}\b|[,;:()]|[.?!]?[\"”']?\s*$))",
    re.IGNORECASE,
)
_NO_BASELINE = re.compile(
    r"^(?:\W|\d|(?:all|any|each|several|various|multiple|many|most|some|two|three|four|five|six|ten|the|a|an|time|long|these|both|wide|large|different|diverse|existing) )*"
    rf"(?:[\w-]+ ){{0,3}}(?:{_DATA_NOUN}|time|years?|iterations?|epochs|domains|scenarios|settings|horizons?|course|range|margin|average|range|attacks?|noise|languages|seeds|"
    r"half|expected|ever|once|usual|noise|perturbations?|shifts?|corruptions?|variations?|state)$|^(?:\d|up|all$|both$|it$|them$|one$|an? order|half|twice|\$)",
    re.IGNORECASE,
)

_KIND = (
    r"(?:(?:training|inference|test|testing|running|run|sample|memory|error|success|win|detection|classification|recognition|segmentation|prediction|"
    r"retrieval|translation|reconstruction|generation|computational|computation|communication|energy|wall-clock|convergence|top-\d|rank-\d|zero-shot|"
    r"few-shot|generalization|regret|query|statistical|robust|adversarial|clean|label|data|parameter|image|video|visual|perceptual|task|downstream|"
    r"overall|average|mean|end-to-end|false positive|true positive|relative|pose|tracking|localization|estimation|planning|execution|learning|"
    r"validation|search|decoding|approximation|mean squared|root mean square|absolute) ){0,2}"
)
_METRIC = re.compile(
    rf"(?<![\w-])(?P<kind>{_KIND})(?P<name>accurac(?:y|ies)|errors?|error rates?|(?<!learning )rates?|perplexity|latency|throughput|memory|usage|footprint|run-?time|time|speed|costs?|"
    r"regret|complexity|efficiency|success rates?|F1(?:[- ]scores?)?|BLEU|ROUGE|AUC|AUROC|m?AP|mIoU|IoU|FID|PSNR|SSIM|MPJPE|RMSE|MAE|WER|recall|precision|robustness|"
    r"performance|quality|parameters|FLOPs|energy|consumption|overhead|communication|convergence|variance|bias|fairness|generali[sz]ation|rewards?|returns?|"
    r"likelihood|hallucinations?|toxicity|correlation|consistency|diversity|fidelity|coverage|calibration|stability|scalability|bounds?|agreement)(?![\w-])"
)
_VAGUE = re.compile(r"^(?:performance|quality|time|rates?|errors?|bounds?|memory|speed|efficiency)$")
_NEXT_NOUN = re.compile(
    r"^ (?:metrics?|measures?|evaluation|analysis|gap|bottleneck|criteri\w+|functions?|estimation|model\w*|of the (?:paper|model))\b"
)

_NEGATED = re.compile(
    r"\b(?:without|no|not|never|avoid\w*|prevent\w*|reduc\w+|mitigat\w+|alleviat\w+|eliminat\w+|less|negligible|minimal|little|overcom\w+|hardly|neither|nor|instead of|rather than)\b"
    r"[^.;,]{0,40}?\b(?:drops?|loss|loses?|losing|degrad\w+|suffer\w*|sacrific\w+|worse|hurt\w*|fail\w*|compromis\w+|improve\w*|outperform\w*|better|increas\w+|difference|poor\w*)\b",
    re.IGNORECASE,
)
_EQUAL = re.compile(
    r"\b(?:on[- ]par|comparabl[ey]|competitive(?:ly)?|match(?:es|ed|ing)?|similar(?:ly)? (?:to|performance|accuracy|results|quality)|rivals?|same (?:performance|accuracy|quality|level)|"
    r"as (?:good|accurate|fast|effective) as|equivalent|equally)\b",
    re.IGNORECASE,
)
_BEST = re.compile(
    r"\b(?:out-?perform\w*|surpass\w*|superior\w*|exceed\w*|beat(?:s|ing)?|dominat(?:es|ing))\b", re.IGNORECASE
)
_WORSE = re.compile(
    r"\b(?:fails? (?:to|in|on|when)|failed to|worse|underperform\w*|hampers?|hurts?|degrades?|degraded performance|drops? (?:\w+ly|when|to|from|in)|suffers?|perform(?:s|ed)? poorly|poor (?:performance|results)|"
    r"struggles?|lags? behind|limits of|vulnerable|deteriorates?|negatively)\b",
    re.IGNORECASE,
)
_BETTER = re.compile(
    r"\b(?:improv(?:e|es|ed|ing|ement|ements)|better|best|state[- ]of[- ]the[- ]arts?|SOTA|faster|gains?|boost\w*|speed-?ups?|accelerat\w+|enhanc\w+|favou?rabl[ye]|advantages?|tighter|"
    r"sharper|cheaper|sav(?:es|ed|ing|ings)|fewer|more (?:\w+ly )?(?:accurate|efficient|robust|effective|stable|precise|reliable|sample-efficient|interpretable|realistic|faithful|scalable|"
    r"flexible|general|consistent|diverse)|much-improved|higher (?:\w+ ){0,3}(?:accuracy|quality|performance|precision|recall|throughput|efficiency|success|rates?|scores?)|"
    r"lower (?:\w+ ){0,3}(?:error|errors|cost|costs|latency|memory|regret|variance|complexity|time)|less (?:\w+ ){0,2}(?:memory|time|data|computation|energy|communication))\b",
    re.IGNORECASE,
)
_REDUCES = re.compile(
    r"\b(?:reduc\w+|decreas\w+|lower(?:s|ed|ing)|cut(?:s|ting)?|slash\w*|shrink\w*|minimi[sz](?:es|ed|ing)|halv\w+)\b[^.;]{0,60}?\b(?:cost|time|error|errors|memory|latency|parameters|complexity|"
    r"variance|computation|overhead|energy|FLOPs|bias|number|rate|consumption|size|regret|communication|likelihood|risk|samples|usage|failures?|annotation|effort|supervision|requirements)\b"
    r"|\bincreas\w+\b[^.;]{0,60}?\b(?:accuracy|performance|speed|quality|efficiency|throughput|robustness|success|precision|recall|reward|sample size|diversity)\b",
    re.IGNORECASE,
)


def baseline_in(sentence: str) -> tuple[int, int] | None:
    """Offsets of what is compared with, if it is named."""
    for found in _PHRASE.finditer(sentence):
        name = found["name"].rstrip(".'\"”")
        if name and not _NO_BASELINE.search(name):
            return found.start("name"), found.start("name") + len(name)
    return None


def data_in(sentence: str) -> tuple[int, int] | None:
    """Offsets of the data sets or benchmarks, if they are named."""
    for pattern in _DATA:
        found = pattern.search(sentence)
        if found:
            return found.start("name"), found.start("name") + len(found["name"].rstrip(".-/'"))
    return None


def metric_in(sentence: str, near: int | None) -> str:
    """What is measured: the metric named nearest to an offset, or the first; a vague one ("performance") only for want of
    another. "" for none."""
    best: tuple[int, str] | None = None
    for match in _METRIC.finditer(sentence):
        if _NEXT_NOUN.match(sentence[match.end() :]):
            continue
        name = match[0]
        distance = match.start() if near is None else abs(match.start() - near)
        distance += 70 if _VAGUE.match(name) else 0
        if best is None or distance < best[0]:
            best = distance, name
    return best[1] if best else ""


def direction_of(sentence: str) -> str:
    """Whether the sentence says "better", "worse" or "equal"; "" where it says none of them."""
    told = _NEGATED.sub(" ", sentence)
    if _BEST.search(told):
        return "better"
    if _EQUAL.search(told):
        return "equal"
    if _WORSE.search(told):
        return "worse"
    return "better" if _BETTER.search(told) or _REDUCES.search(sentence) else ""
