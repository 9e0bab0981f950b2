"""The words by which a claim is known: of results, of comparing, of going up or down; and those of hedging and plans.

Word classes are ours, gathered from reading abstracts; extended by stems, not by examples.
"""

from __future__ import annotations

import re

UP = re.compile(
    r"\b(?:improv\w*|increas\w*|boost\w*|gain\w*|enhanc\w*|rais\w*|higher|better|more|greater|larger|longer|exceed\w*|surpass\w*|"
    r"outperform\w*|grow\w*|rise\w*|above|superior\w*|lift\w*|ris(?:e|es|ing)|advanc\w+|amplif\w+|beat\w*|fast(?:er|est)|speed-?ups?|"
    r"accelerat\w*|sped up|speeds? up|speeding up|upto the)\b",
    re.I,
)
DOWN = re.compile(
    r"\b(?:reduc\w*|decreas\w*|lower\w*|less|fewer|smaller|drop\w*|sav(?:e|es|ed|ing|ings)|cut(?:s|ting)?|declin\w*|shrink\w*|"
    r"minimi[sz]\w*|diminish\w*|degrad\w*|worse\w*|fall\w*|fell|below|shorter|cheaper|slower|loses?|losing|halv\w+|shorten\w*|"
    r"compress\w*|mitigat\w*|alleviat\w*|suppress\w*|trim\w*|prun\w+)\b",
    re.I,
)
_RESULT = re.compile(
    r"\b(?:outperform\w*|surpass\w*|achiev\w*|attain\w*|reach(?:es|ed|ing)?|yield\w*|obtain\w*|improv\w*|reduc\w*|increas\w*|"
    r"decreas\w*|boost\w*|exceed\w*|beat(?:s|ing)?|match(?:es|ed|ing)?|enhanc\w*|accelerat\w*|speed-?ups?|speeds? up|"
    r"gains?|sav(?:e|es|ed|ing|ings)|lower(?:s|ed|ing)?|cut(?:s|ting)?|rank(?:s|ed)? (?:first|1st|second)|w[io]n(?:s|ning)? |"
    r"generali[sz]es?|scales?|converg(?:es|ence)|recover(?:s|ed)?|retain(?:s|ed|ing)?|preserv\w*|maintain(?:s|ed|ing)?|"
    r"outperforming|set(?:s|ting)? (?:a )?new|establish(?:es|ing)? (?:a )?new|produc(?:es|ed|ing)|deliver(?:s|ed|ing)?|"
    r"mitigat\w+|alleviat\w+|eliminat\w+|prevent(?:s|ed)?|detect(?:s|ed)?|predict(?:s|ed)|perform(?:s|ed)|provid(?:es|ed)|"
    r"requir(?:es|ed|ing)|take(?:s)? only|us(?:es|ing) only|run(?:s|ning)? (?:at|in)|remain(?:s|ed)?|suffer(?:s|ed)?|drop(?:s|ped)?|"
    r"fail(?:s|ed)?|degrad\w+|advanc(?:es|ed|ing)|rival(?:s|ed|ing)?|solv(?:es|ed|ing))\b",
    re.I,
)
_COMPARES = re.compile(
    r"\b(?:state[- ]of[- ]the[- ]art|SOTA|(?:than|over|against|to|with) (?:the |all |other |many |most |several |existing |previous |prior |"
    r"current |strong |competing |recent |popular |standard |conventional |traditional |various |leading |best[- ]\w+ )*"
    r"(?:baselines?|methods?|approach(?:es)?|models?|algorithms?|works?|techniques?|competitors?|counterparts?|alternatives?|"
    r"systems?|solutions?|ones|results?|schemes?|frameworks?|architectures?|estimators?|policies|optimi[sz]ers|LLMs|networks)|"
    r"compared (?:to|with|against)|in comparison (?:to|with)|relative to|than\b|versus|competitive (?:with|performance|results?|accuracy)|"
    r"comparable (?:to|with|performance|results?|accuracy)|on par with|best (?:performance|results?|performing|accuracy|known|reported)|"
    r"superior(?:ity)?|favou?rabl[ye]|(?:significant|substantial|consistent|considerable|notable|large|clear|remarkable|major|"
    r"dramatic|marked)(?:ly)? (?:\w+ ){0,2}(?:improvements?|gains?|better|outperform\w*|improv\w+|reduc\w+|faster|higher|lower|"
    r"increas\w+|decreas\w+|boost\w*|performance|speed-?ups?|margins?)|faster|better|higher|lower|fewer|"
    r"more (?:accurate|efficient|robust|effective|stable|precise|reliable|sample[- ]efficient|diverse|realistic|faithful|consistent)\w*|"
    r"strong (?:performance|results?|generali[sz]ation)|excellent (?:performance|results?)|high(?:ly)? (?:accura\w+|competitive|quality|"
    r"efficient|performance)|new (?:state|record|benchmark)|without (?:any |significant |much |notable |a |sacrificing |compromising |"
    r"hurting |degrading |losing |loss)|by a (?:large|significant|wide|clear|considerable|substantial|big) margin|well across|"
    r"promising (?:performance|results?)|effective(?:ness|ly)?|efficien(?:cy|tly)|robust(?:ness|ly)?|generali[sz]\w+|good performance)\b",
    re.I,
)
_SHOWS = re.compile(
    r"\b(?:(?:experiment(?:s|al)?|results?|evaluations?|simulations?|empirical\w*|studies|study|analys[ei]s|benchmarks?|tests?|"
    r"theoretical\w*|ablations?|comparisons?|findings?|trials?|evidence|we|our \w+|numerical\w*)\b[^.]{0,80}?\b"
    r"(?:show(?:s|n|ed|ing|cas\w+)?|demonstrat\w+|indicat\w+|reveal\w*|confirm\w*|suggest\w*|verif\w+|prov(?:e|es|ed|en)|find|found|observ\w+|"
    r"validat\w+|establish\w*|report\w*|illustrat\w+|highlight\w*|evidenc\w+|corroborat\w+|support(?:s|ed)?)|"
    r"(?:it is|is|are|was|were) (?:shown|demonstrated|proven|proved|found|observed)|as (?:shown|demonstrated) (?:by|in)|"
    r"empirically|experimentally|in (?:our )?(?:experiments|simulations|practice)|outperform\w*|surpass\w*|achiev(?:e|es|ed|ing))\b",
    re.I,
)
_PROVES = re.compile(
    r"\b(?:(?:we |can |is |are |which |and |also |to |it is )(?:\w+ly )?(?:prove[sdn]?|show|establish(?:es|ed)?|derive[sd]?|guarantee[sd]?|shown to|obtain)"
    r"|guarantees?|provabl[ey]|enjoys?|achiev\w+|attain\w*|converg\w+|is (?:\w+ly )?(?:optimal|consistent|unbiased|minimax))\b",
    re.I,
)
_BOUND = re.compile(
    r"(?:\b(?:regret|sample complexity|convergence(?: rate)?|rates?|bounds?|lower bound|upper bound|optimal(?:ity)?|minimax|time complexity|"
    r"polynomial(?:[- ]time)?|linear(?:ly)?|sublinear|logarithmic|exponential(?:ly)?|NP-hard(?:ness)?|approximation (?:ratio|factor|guarantee)|"
    r"consistent|consistency|unbiased|asymptotic\w*|stationary point|global (?:optim\w+|minim\w+|convergence)|PAC|"
    r"identifiab\w+|equivalen\w+|universal\w*|generali[sz]ation (?:error|bound)s?|error bounds?|privacy|variance|impossib\w+|necessary|sufficient)\b"
    r"|\\?(?:mathcal)?\{?O\}?\s?[({]|\bO\(|Õ|\\tilde|\\Omega|\\Theta)",
    re.I,
)
_HEDGES = re.compile(
    r"\b(?:we (?:believe|hope|expect|hypothesi[sz]e|conjecture|anticipate|envision|argue|posit|suspect|aim)|"
    r"(?:could|might|may|would|should)\b(?! be (?:shown|seen|found))|potential(?:ly)? (?:to|for|of|benefits?|applications?)|"
    r"promis(?:e|es) to|has the potential|future (?:work|research|directions?)|remains? (?:an open|unclear|unknown|challenging|a challenge|to be)|"
    r"hopefully|it is (?:possible|likely|believed|hypothesi[sz]ed|hoped)|perhaps|can potentially|paves? the way|sheds? (?:new )?light|"
    r"opens? (?:up )?(?:new|the|a)|in the hope|towards? this (?:goal|end)|expected to|intend(?:s|ed)? to)\b",
    re.I,
)
_OTHERS = re.compile(
    r"^(?:However|While|Although|Despite|Recent(?:ly)?|Existing|Previous|Prior|Current|Traditional|Conventional|Most|Many|Several|Such|"
    r"Deep|Large|Modern|Typical(?:ly)?|Unfortunately|Yet|But|Nevertheless|Standard|State-of-the-art|To (?:address|tackle|solve|overcome|"
    r"bridge|mitigate|alleviate|this end|remedy|fill|achieve|improve|reduce|enable)|Motivated|Inspired|Based on|Given|In (?:recent years|many|"
    r"practice|this (?:work|paper|study|article)|real)|An? |Since|Because|One |Some|There|Nowadays|With the|"
    r"The (?:goal|aim|key|main|core|problem|task|success|ability|proposed (?:method|framework|approach|model) (?:consists|uses|employs|first|"
    r"is based)|challenge|idea|recent|existing|majority))\b"
)
_PLANS = re.compile(
    r"\b(?:[Ww]e|[Tt]his (?:paper|work|study|article)|[Ii]n this (?:paper|work|study)[^.]{0,20}we) (?:\w+ly )?(?:then |also |further |first |"
    r"therefore |thus |here |next )*(?:propose|present|introduce|develop|design|study|investigate|consider|address|explore|describe|formulate|"
    r"review|examine|discuss|revisit|leverage|use|employ|adopt|build|construct|release|provide|collect|create|train|focus|apply|extend|"
    r"evaluate|conduct|compare|analy[sz]e|tackle|formali[sz]e|incorporate|integrate|combine|model|define|perform)\b"
)
_WE_RESULT = re.compile(
    r"\b(?:we|our (?:\w+[- ]?){1,4}|the proposed (?:\w+ ?){1,3}|this (?:\w+ )?(?:method|approach|framework|model|technique|algorithm|strategy|"
    r"system|network|architecture)|it|they|which|[A-Z][\w-]*[A-Z0-9][\w-]*|results?|experiments?)\b",
    re.I,
)
_DATA = re.compile(
    r"\b(?:on|across|over|in|using|from|of)\s(?:the |both |all |several |standard |challenging |popular |public(?:ly available)? |two |three |four |"
    r"five |six |seven |eight |\d+ |multiple |various |diverse |real-world |large-scale |widely[- ]used )*(?P<name>"
    r"(?:[A-Z][\w.+/-]*[A-Z0-9][\w.+/-]*|[A-Z][a-z]+(?:[-\s]?\d+[A-Z]?)|[A-Z][a-z]+[A-Z]\w*)(?:(?:, (?:and )?| and |[- ])(?:[A-Z][\w.+/-]*"
    r"[A-Z0-9][\w.+/-]*|[A-Z][a-z]+(?:[-\s]?\d+)?))*)(?= |,|\.|\)|$)(?: (?:data ?sets?|benchmarks?|corpus|corpora|tasks?|leaderboards?|games?|"
    r"environments?|test sets?|suite|domains?))?"
)
_BASELINE = re.compile(
    r"\b(?:outperform\w*|surpass\w*|beat(?:s|ing)?|exceed\w*|than|over|compared (?:to|with|against)|relative to|versus|vs\.?|against|on par with|"
    r"comparable (?:to|with)|competitive with|improv\w+ (?:up)?on|rival\w*|match(?:es|ed|ing))\s(?P<name>(?:the |all |other |many |most |several |"
    r"its |their |our |a |an )?(?:[\w/+.-]+[ -]){0,5}?(?:baselines?|methods?|approach(?:es)?|models?|algorithms?|works?|techniques?|competitors?|"
    r"counterparts?|alternatives?|systems?|solutions?|ones|sota|state[- ]of[- ]the[- ]art|human\w*|experts?|schemes?|LLMs?|frameworks?|"
    r"networks?|estimators?|search|training|sampling|learning|[A-Z][\w-]*[A-Z0-9][\w.-]*))",
    re.I,
)
_METRIC = re.compile(
    r"\b(?:accuracy|error(?: rates?)?|perplexity|latency|throughput|memory(?: usage| footprint| consumption)?|run-?time|training time|"
    r"inference (?:time|speed|cost)|speed|cost|regret|sample (?:complexity|efficiency)|success rates?|F1(?:[- ]scores?)?|BLEU|ROUGE|AUC|AUROC|"
    r"mAP|mIoU|IoU|FID|PSNR|SSIM|recall|precision|robustness|performance|quality|efficiency|parameters|FLOPs|computation(?:al (?:cost|complexity))?|"
    r"energy(?: consumption)?|communication(?: cost)?|convergence(?: rate)?|variance|bias|fairness|generali[sz]ation|win rates?|rewards?|returns?|"
    r"loss|length|time|overhead|hallucinations?|toxicity|data)\b",
    re.I,
)


def direction_at(sentence: str, start: int, end: int) -> str:
    """Which way the thing measured between two offsets goes, by the nearest word of going up or down; "" for neither."""
    best: tuple[float, str] | None = None
    for name, pattern in (("up", UP), ("down", DOWN)):
        for match in pattern.finditer(sentence):
            if match.end() <= start:
                distance = float(start - match.end())
                clause = sentence[match.end() : start]
            elif match.start() >= end:
                distance = 0.6 * (match.start() - end)  # "2x faster": what follows closely counts more
                clause = sentence[end : match.start()]
            else:
                continue
            distance += 60 * len(re.findall(r"[;:]|\b(?:while|whereas|but|and)\b", clause))
            if best is None or distance < best[0]:
                best = (distance, name)
    return best[1] if best and best[0] < 150 else ""


def is_claim(sentence: str, measured: bool) -> bool:
    """Whether a sentence states a result that a study could confirm or refute; `measured` says it holds a quantity."""
    hedged = bool(_HEDGES.search(sentence))
    shows = bool(_SHOWS.search(sentence))
    result = bool(_RESULT.search(sentence))
    compares = bool(_COMPARES.search(sentence))
    others = bool(_OTHERS.search(sentence))
    plans = bool(_PLANS.search(sentence))
    if _PROVES.search(sentence) and _BOUND.search(sentence) and not hedged:
        proving = re.search(r"\b(?:we|our|results?|this|it|which|is|are|and|also)\b[^.]*\b(?:prov\w+|guarant\w+|show\w*|establish\w*|"
                            r"deriv\w+|achiev\w+|attain\w*|converg\w+|optimal)\b", sentence, re.I)  # fmt: skip
        if proving and not others:
            return True
    if measured and result:
        return not hedged and not (others and not shows and not _WE_RESULT.search(sentence))
    if hedged and not (shows and compares and result):
        return False
    if shows and (compares or (result and not plans)):
        return not (others and not re.search(r"\b(?:we|our|results?|experiments?)\b", sentence, re.I))
    if result and compares and not plans:
        return not others and bool(_WE_RESULT.search(sentence))
    return False


def baseline_in(sentence: str) -> tuple[int, int] | None:
    """Offsets of what is compared with, if it is named."""
    found = _BASELINE.search(sentence)
    return found.span("name") if found else None


def data_in(sentence: str) -> tuple[int, int] | None:
    """Offsets of the data sets or benchmarks, if they are named."""
    found = _DATA.search(sentence)
    return found.span("name") if found else None


def metric_in(sentence: str, near: int) -> str:
    """What is measured: the metric named nearest to an offset, "" for none."""
    found = [(abs(match.start() - near), match[0]) for match in _METRIC.finditer(sentence)]
    return min(found)[1] if found else ""


def direction_of(sentence: str) -> str:
    """Whether the sentence says better, worse or equal; "" for none of them."""
    if re.search(r"\b(?:on par|comparable|competitive|match(?:es|ing)|similar (?:performance|accuracy|results)|without (?:any |significant )?"
                 r"(?:loss|degradation|sacrificing)|rival\w*)\b", sentence, re.I):  # fmt: skip
        return "equal"
    if re.search(
        r"\b(?:fail(?:s|ed)?|degrad\w+|worse|suffer\w*|underperform\w*|struggle\w*|drop(?:s|ped)?)\b", sentence, re.I
    ):
        return "worse"
    better = re.search(
        r"\b(?:outperform\w*|surpass\w*|improv\w*|better|superior\w*|state[- ]of[- ]the[- ]art|SOTA|reduc\w*|faster|higher|lower|best|beat\w*|"
        r"exceed\w*|gains?|boost\w*|sav\w+|fewer|speed-?ups?|accelerat\w*|enhanc\w*|increas\w*|more \w+)\b",
        sentence,
        re.I,
    )
    return "better" if better else ""
