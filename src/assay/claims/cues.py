"""The words by which a claim is known: of results, of comparing, of proving, of going up or down; and those against it.

A word list is written with "*" for any ending and "_" for a space. The classes are ours.
"""

from __future__ import annotations

import re


def _any(words: str) -> str:
    """A pattern of alternatives out of a list of words."""
    parts = [re.escape(word).replace(r"\*", r"\w*").replace("_", r"[\s-]+") for word in words.split()]
    return rf"(?:{'|'.join(parts)})"


def _words(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b{_any(words)}(?!\w)", re.IGNORECASE)


UP = _words(
    "improv* increas* boost* gain* enhanc* rais* higher better more greater larger longer exceed* surpass* outperform* grow* "
    "rise rises rising rose above superior* lift* advanc* amplif* beat* faster speedup* speed_up* speeds_up sped_up "
    "accelerat* wins won benefit*"
)
DOWN = _words(
    "reduc* decreas* lower* less fewer smaller drop* save saves saved saving savings cut cuts cutting declin* shrink* minimi* "
    "diminish* degrad* worse* fall* fell below shorter cheaper slower lose loses losing loss halv* shorten* compress* "
    "mitigat* alleviat* suppress* only_1/* only_half"
)

_SUBJECT = (
    r"(?:we|our|it|they|this|these|which|that|results?|experiments?|simulations?|evaluations?|analys[ei]s|findings?|stud(?:y|ies)|"
    r"evidence|the proposed|the resulting|the algorithm|the method|the approach|the model|both|empirically|theoretically|"
    r"experimentally|numerically|data)"
)
_SHOW = _any(
    "show shows showed shown showing showcas* demonstrat* prove proves proved proven indicat* reveal* confirm* suggest* verif* find "
    "found finds observ* validat* establish* illustrat* highlight* evidenc* corroborat* conclud* report reports see support* identif* imply implies implied"
)
_SHOWS_THAT = re.compile(
    rf"\b{_SUBJECT}\b[^.;]{{0,110}}?\b{_SHOW}(?:[^.;]{{0,60}}?\bthat\b|:|,?\s(?:the |our |its |an? )?(?:\w+ ){{0,3}}(?:outperform|improv|superior|"
    r"better|significant|increas|reduc|advantag|gain|non-convergence|favou?rabl|strong|competitive|state-of-the-art|robust|convergence|"
    r"faster|more|less|\w+ can|how the|necessary|equivalen|good agreement|inverse))"
    r"|\b(?:it (?:is|was|can be)|is|are|was|were) (?:also )?(?:shown|proven|proved|demonstrated|found|observed) (?:that|to)\b"
    r"|\b(?:and|we|also|further|can) (?:\w+ )?(?:show|find|prove|observe|demonstrate) (?:that|it|they|its|their|the \w+ can)\b",
    re.IGNORECASE,
)
_EFFECT_ONLY = re.compile(
    r"\b(?:effective(?:ness)?|efficacy|usefulness|value|potential|applicability|feasibility|validity|utility|practicality|"
    r"performance|capabilit(?:y|ies)|generaliz\w+|flexibility|versatility|promise|importance|need|benefits?|merits?)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:outperform\w*|out-perform\w*|surpass\w*|exceed(?:s|ed|ing)?|beat(?:s|ing)?|state[- ]of[- ]the[- ]arts?|SOTA|on par with|superior(?:ity)?|"
    r"compar(?:es|ed|able|ably|ison)\b(?!.{0,12}(?:we|of)\b)|competitive\w*|favou?rabl[ye]|dominates?|"
    r"(?:better|faster|higher|lower|fewer|cheaper|smaller|tighter|sharper|stronger|larger|easier|shorter|greater|milder|"
    r"less|more(?: \w+)?)\b[^.;]{0,80}?\bthan\b|more (?:\w+ly )?(?:accurate|efficient|robust|effective|stable|precise|reliable|"
    r"sample-efficient|interpretable|realistic|faithful|scalable|flexible)\b|(?:significant|substantial|consistent|considerable|notable|large|"
    r"clear|remarkable|major|dramatic|marked|definite|great)(?:ly)?\b[^.;]{0,30}?\b(?:improve\w*|gains?|better|reduc\w+|faster|higher|lower|"
    r"increas\w+|decreas\w+|boost\w*|speed[- ]?ups?|margins?|advantages?|performance gains?|enhanc\w+|accura\w+)|best (?:performance|results?|known|"
    r"performing|accuracy|reported|[\w-]+ trade-?offs?)|new (?:state|record)|advantages? over|gains? over|improve\w* (?:up)?on\b|improvements? over|"
    r"much (?:faster|better|higher|lower|more)|far (?:less|more|fewer)|than (?:previous|prior|existing|other|the|its|state)|relative to|without (?:any |"
    r"significant |much |notable |a |sacrificing |compromising |hurting |degrading |losing |diminishing |loss|additional |requiring )"
    r"|no (?:significant|noticeable|additional) (?:impact|loss|cost|drop|degradation)|well (?:on|to|across)\b|"
    r"high(?:er|est)? (?:accuracy|quality|performance)|strong (?:performance|results)|good agreement)",
    re.IGNORECASE,
)
_RESULT = _words(
    "outperform* out-perform* surpass* achiev* attain* reach reaches reached yield* obtain* improv* reduc* increas* decreas* boost* "
    "exceed* beat beats match matches matched enhanc* accelerat* speedup speed_up gain gains save saves saving lower lowers cut cuts "
    "rank ranks win wins generaliz* generalis* scale scales converg* recover* retain* preserv* maintain* set sets setting "
    "produc* deliver* mitigat* alleviat* eliminat* detect* solves solve compares favou*bly perform performs exhibit* provides enjoys "
    "requires requiring runs is are was gave gives dominates compress* supports surpassing generates allows improves benefits evaluated remov* avoid*"
)
_METHOD = re.compile(
    r"\b(?:[Ww]e|[Oo]ur|[Tt]he proposed|[Tt]he resulting|[Tt]his (?:\w+ )?(?:method|approach|framework|model|technique|algorithm|strategy|system|network|"
    r"architecture|reformulation|embedding)|[Ii]t|[Tt]he (?:algorithm|method|approach|model)|which|[Rr]esults?|[Ee]xperiments?|[Ee]valuat\w+|[Tt]hey|[Bb]oth (?:algorithms|methods)|"
    r"[A-Z][\w-]*[A-Z0-9][\w-]*|[A-Z]{2,}\w*|performance|accuracy|networks?)\b",
)
_PROOF = re.compile(
    r"\b(?:we|our|and|also|paper|work|further|that|then|can)\b[^.;]{0,60}?\b(?:prove[sdn]?|proving|establish(?:es)?|derive[sd]?|deliver|give|obtain|present|bound|provide|guarantee[sd]?|"
    r"show)\b[^.;]{0,120}?\b(?:bounds?|rates?|guarantee[sd]?|convergen\w+|converges|optimal(?:ity)?|consisten\w+|regret|complexity|inequalit\w+|equivalen\w+|"
    r"identifiab\w+|intractable|impossib\w+|NP-hard|unbiased|competitive|invariant|distribution of|bounded|soundness|approximation (?:performance|"
    r"guarantees?)|polynomial|asymptotic\w*|minimax|stable|recover\w*|correct|complete|tight)\b"
    r"|\b(?:provabl[ye]|proven to|is shown to|guaranteed to|guarantees? (?:the|that|consistency|identif)|near-optimal|minimax[- ]optimal|"
    r"asymptotically (?:consistent|optimal|normal)|polynomial[- ]time|converges? to|at a (?:\w+ )?(?:linear|sublinear) rate|"
    r"with high probability|exact(?:ly)? (?:recover\w*|the same)|tight(?:er)? (?:\w+ )?bounds?|statistically guaranteed|upper bounded|lower bounded|"
    r"competitive ratio|-competitive|exponentially fast|is tight|logarithmic factors?|asymptotically linear|correctly recalled|truthful|"
    r"(?:are|is) derived|invariant to|(?:bound|scales?|grows?) (?:\w+ ){0,3}linear\w*|do(?:es)? not suffice|is impossible|is (?:\w+ )?intractable)\b"
    r"|\bO\s?\(|\\(?:mathcal|order|tilde|Omega)\b|O\\left",
    re.IGNORECASE,
)
_HEDGES = re.compile(
    r"\b(?:we (?:believe|hope|expect|hypothesi[sz]e|conjecture|anticipate|envision|argue|posit|suspect|aim)|could\b|might\b|"
    r"(?:would|should)\b(?! be (?:shown|seen|found))|promis(?:e|es|ing) (?:to|for|insights?|directions?|tool)|has the potential|future (?:work|research|directions?)|"
    r"remains? (?:an open|unclear|unknown|challenging|a challenge|to be|largely)|hopefully|it is (?:likely|believed|hypothesi[sz]ed|hoped)|"
    r"perhaps|potentially|paves? the way|sheds? (?:new )?light|opens? (?:up )?(?:new|the|a)|in the hope|expected to|intend(?:s|ed)? to|"
    r"suggest (?:a roadmap|that when)|need not|can be a perfect|may be important)\b",
    re.IGNORECASE,
)
_NOT_OURS = re.compile(
    r"^[\"']?(?:However|While (?:many|most|there|recent|existing|deep)|Although|Despite (?:the|recent|their|significant|being)|Recent(?:ly)?|Existing|"
    r"Previous|Prior (?:work|approach|method|multi|art)|Current(?:ly)?|Traditional(?:ly)?|Conventional(?:ly)?|Most (?!of our)|Many|Several|Modern|Typical(?:ly)?|Unfortunately|Yet\b|"
    r"Nevertheless|Standard|State-of-the-art|Motivated|Inspired|Based on|Since|Because|Some|There|Nowadays|Learning how|To (?:address|tackle|"
    r"solve|overcome|bridge|remedy|fill|gain|measure|quantify|evaluate|enhance|guide|facilitate|this end|mitigate|alleviate|verify|encourage)|The (?:goal|aim|"
    r"key|core|problem|task|success|challenge|idea|recent|existing|majority|purpose|main (?:idea|challenge|goal)|superiority of|well-known)|Unlike|Considering|Given)\b"
    r"|\b(?:existing|previous|prior|current|recent(?:ly)?|traditional) (?:\w+ ){0,3}(?:methods|approaches|work|works|models|studies|techniques|methodologies) "
    r"(?:are|have|often|usually|suffer|fail|rely|focus|typically|mainly|struggle|on)\b|\bempirical findings suggest\b|\bresearch has shown\b|"
    r"\bit is well known\b|\bhave shown (?:great|excellent|remarkable|impressive)",
)
_PLANS = re.compile(
    r"\b(?:[Ww]e|[Tt]his (?:paper|work|study|article)|is|are)(?: then| also| further| first| therefore| thus| here| next| further)*(?: \w+ly)? (?:propose[sd]?|present(?:s|ed)?|introduce[sd]?|"
    r"develop(?:s|ed)?|design(?:s|ed)?|study|studies|investigate[sd]?|consider(?:s|ed)?|address(?:es)?|explore[sd]?|describe[sd]?|formulate[sd]?|review|examine[sd]?|"
    r"discuss|revisit|leverage|use[sd]?|employ(?:ed|s)?|adopt(?:ed)?|built?|construct(?:ed)?|release|collect(?:ed)?|create[sd]?|train(?:ed)?|focus(?:es)?|"
    r"apply|extend|evaluate[sd]?|conduct(?:ed)?|compare|analy[sz]e|tackle[sd]?|formali[sz]e|incorporate[sd]?|integrate[sd]?|combine[sd]?|define[sd]?|perform|describe|learn|"
    r"achieved by|draw on|unify|implement|operationalize|report on|quantify)\b"
)
_DATA = re.compile(
    r"\b(?:on|across|over|in|using|from|of)\s(?:the |both |all |several |standard |challenging |popular |public(?:ly available)? |two |three |"
    r"four |five |six |seven |eight |\d+ |multiple |various |diverse |real-world |large-scale |widely[- ]used )*(?P<name>"
    r"(?:[A-Z][\w.+/-]*[A-Z0-9][\w.+/-]*|[A-Z][a-z]+(?:[-\s]?\d+[A-Z]?)|[A-Z][a-z]+[A-Z]\w*)(?:(?:, (?:and )?| and |[- ])(?:[A-Z][\w.+/-]*"
    r"[A-Z0-9][\w.+/-]*|[A-Z][a-z]+(?:[-\s]?\d+)?))*)(?= |,|\.|\)|$)"
)
_BASELINE = re.compile(
    r"\b(?:outperform\w*|surpass\w*|beat(?:s|ing)?|exceed\w*|than|over|compared (?:to|with|against)|relative to|versus|vs\.?|against|on par with|"
    r"comparable (?:to|with)|competitive with|improv\w+ (?:up)?on|rival\w*|match(?:es|ed|ing))\s(?P<name>(?:the |all |other |many |most |several |"
    r"its |their |our |a |an )?(?:[\w/+.-]+[ -]){0,5}?(?:baselines?|methods?|approach(?:es)?|models?|algorithms?|works?|techniques?|competitors?|"
    r"counterparts?|alternatives?|systems?|solutions?|ones|sota|state[- ]of[- ]the[- ]arts?|human\w*|experts?|schemes?|LLMs?|frameworks?|"
    r"networks?|estimators?|search|training|sampling|learning|(?-i:[A-Z][\w-]*[A-Z0-9][\w.-]*)))",
    re.IGNORECASE,
)
_METRIC = _words(
    "accuracy error error_rate* perplexity latency throughput memory memory_usage run-?time runtime training_time inference_time speed cost* "
    "regret sample_complexity sample_efficiency success_rate* F1 F1_score* BLEU ROUGE AUC AUROC mAP mIoU IoU FID PSNR SSIM recall precision "
    "robustness performance quality efficiency parameters FLOPs energy communication convergence variance bias fairness generali* win_rate* reward* "
    "return* loss length time overhead hallucination* toxicity data"
)


def direction_at(sentence: str, start: int, end: int) -> str:
    """Which way the thing measured between two offsets goes, by the nearest word of going up or down; "" for neither."""
    best: tuple[float, str] | None = None
    for name, pattern in (("up", UP), ("down", DOWN)):
        for match in pattern.finditer(sentence):
            if match.end() <= start:
                distance, between = float(start - match.end()), sentence[match.end() : start]
            elif match.start() >= end:
                distance = 0.6 * (match.start() - end)  # "2x faster": what follows closely counts more
                between = sentence[end : match.start()]
            else:
                distance, between = 0.0, ""
            distance += 60 * len(re.findall(r"[;:]|\b(?:while|whereas|but|achieving|reaching|attaining)\b", between))
            if best is None or distance < best[0]:
                best = (distance, name)
    return best[1] if best and best[0] < 90 else ""


def begins_own_work(sentence: str) -> bool:
    """Whether a sentence speaks of the paper's own work: what stands before it is about others."""
    return bool(
        re.search(
            r"\b(?:[Ww]e|[Oo]ur|[Tt]his (?:paper|work|study|article)|[Hh]ere)\b|\bis (?:proposed|presented)\b", sentence
        )
    )


def is_claim(sentence: str, measured: bool, own: bool) -> bool:
    """Whether a sentence states a result that a study could confirm or refute.

    `measured`: it holds a quantity; `own`: the abstract has come to its own work.
    """
    if _HEDGES.search(sentence) and not measured:
        return False
    shows = _SHOWS_THAT.search(sentence)
    compares = _COMPARES.search(sentence)
    result = bool(_RESULT.search(sentence))
    proves = bool(_PROOF.search(sentence))
    plans = bool(_PLANS.search(sentence))
    if (
        _NOT_OURS.search(sentence)
        and not (shows and own)
        and not re.search(r"\b(?:[Ww]e|[Oo]ur)\b[^.]*\b(?:show|obtain|achiev|find|prove)", sentence)
    ):
        return False
    if shows:
        return bool(own or re.search(r"\b[Ww]e\b", sentence)) and not _only_effect(
            sentence, bool(compares), proves, measured
        )
    if proves and own:
        return not plans or bool(
            re.search(r"\b(?:prov|guarante|bound|rate|optimal|tight|competitive|consisten)", sentence)
        )
    if measured and own:
        return (result or bool(compares)) and not (plans and not compares)
    return (
        bool(compares)
        and own
        and result
        and not (plans and not re.search(r"\b(?:outperform|state-of-the-art|superior)", sentence))
        and bool(_METHOD.search(sentence))
    )


def _only_effect(sentence: str, compares: bool, proves: bool, measured: bool) -> bool:
    """Whether nothing but "the effectiveness of our method" is shown."""
    if compares or proves or measured:
        return False
    told = re.search(rf"\b{_SHOW}\b(?P<rest>.*)", sentence, re.IGNORECASE)
    rest = told["rest"] if told else sentence
    return bool(_EFFECT_ONLY.search(rest)) and not re.search(r"\bthat\b", rest)


def baseline_in(sentence: str) -> tuple[int, int] | None:
    """Offsets of what is compared with, if it is named."""
    found = _BASELINE.search(sentence)
    return found.span("name") if found else None


def data_in(sentence: str) -> tuple[int, int] | None:
    """Offsets of the data sets or benchmarks, if they are named."""
    found = _DATA.search(sentence)
    return (found.start("name"), found.start("name") + len(found["name"].rstrip(".-/"))) if found else None


def metric_in(sentence: str, near: int) -> str:
    """What is measured: the metric named nearest to an offset, "" for none."""
    found = [(abs(match.start() - near), match[0]) for match in _METRIC.finditer(sentence)]
    return min(found)[1] if found else ""


_EQUAL = _words(
    "on_par comparable comparably competitive match matches matching similar_performance similar_accuracy rival*"
)
_WORSE = _words("fail fails failed degrad* worse suffer* underperform* struggle* drop drops dropped hamper* negatively")
_BETTER = _words(
    "outperform* surpass* improv* better superior* state_of_the_art SOTA reduc* faster higher lower best beat* exceed* gain* "
    "boost* sav* fewer speedup* accelerat* enhanc* increas* more tighter favou*bl*"
)


def direction_of(sentence: str) -> str:
    """Whether the sentence says better, worse or equal; "" for none of them."""
    if _EQUAL.search(sentence) and not re.search(r"\b(?:outperform|surpass|superior)", sentence):
        return "equal"
    if _WORSE.search(sentence):
        return "worse"
    return "better" if _BETTER.search(sentence) else ""
