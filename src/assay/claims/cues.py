"""The words by which a claim is known: of showing, comparing, achieving, changing and proving; and those against it.

A word list is written with "*" for any ending and "_" for a space or hyphen. The classes are ours.
"""

from __future__ import annotations

import re


def _any(words: str) -> str:
    """A pattern of alternatives out of a list of words."""
    parts = [re.escape(word).replace(r"\*", r"\w*").replace("_", r"[\s-]+") for word in words.split()]
    return rf"(?:{'|'.join(parts)})"


def _words(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b{_any(words)}(?!\w)", re.IGNORECASE)


METRICS = (
    r"(?:Sacre)?BLEU(?:-\d)?|BLEURT|COMET|ROUGE(?:-[12L])?|CIDEr|METEOR|SPICE|FID|LPIPS|SSIM|PSNR|mAP(?:@[\d.:]+)?|AP(?:50|75)?|mIoU|IoU|PQ|"
    r"(?:[Mm]icro-|[Mm]acro-)?F1|F-?score|F-measure|AUC|AUROC|AUPRC|MRR|NDCG|nDCG|NDS|MAE|RMSE|MSE|ADE|FDE|WERs?|CER|EER|perplexity|PPL|Elo|R2|"
    r"MOTA|IDF1|HOTA|MPJPE|Dice|EM|accuracy|success rate|recall|precision|correlation"
)
"""Metrics that stand beside a bare number, as a pattern."""
UNITS = (
    r"dB|ms|s|sec|seconds?|milliseconds?|minutes?|min|hours?|days?|FPS|fps|Hz|kHz|MHz|GHz|GB|MB|KB|TB|GFLOPs|FLOPs|TFLOPs|"
    r"W|mW|J|mJ|kWh|nm|[µμ]m|mm|cm|m|km|pixels?|px|degrees?|°|bits?|bpp|nats?|kg|N|Nm|V"
)
WORD_NUMBERS = {
    "twice": 2.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "seven": 7.0, "eight": 8.0, "nine": 9.0, "ten": 10.0,
    "one": 1.0, "a": 1.0, "an": 1.0, "several": 2.0, "multiple": 2.0, "many": 2.0,
}  # fmt: skip

# --- what a sentence says -------------------------------------------------------------------------------------------

_SHOW = _any(
    "show shows showed shown showing showcases demonstrate demonstrates demonstrated demonstrating prove proves proved proving indicate indicates "
    "indicated indicating reveal reveals revealed revealing confirm confirms confirmed confirming suggest suggests suggested suggesting verify "
    "verifies verified verifying find finds found observe observes observed validate validates validated establish establishes established "
    "illustrate illustrates illustrated highlight highlights highlighted corroborate* conclude concludes concluded discover discovers discovered "
    "substantiate* uncover uncovers uncovered attest attests evidences evidenced report reports imply implies implied underscore underscores affirm affirms"
)
_BE = r"(?:is|are|was|were|be|been|has|have|had|can|cannot|could|does|do|did|will|may|not|still|also|only|even|often)"
_RESULT = _any(
    "outperform* out-perform* surpass* exceed exceeds exceeded achieve achieves achieved attain* obtain obtains obtained reach reaches reached "
    "yield yields yielded improve improves improved reduce reduces reduced increase increases increased decrease decreases decreased boost boosts "
    "boosted beat beats match matches matched enhance enhances enhanced accelerate accelerates perform performs performed generalize generalizes "
    "generalise* converge converges provide provides produce produces lead leads led recover recovers scale scales enable enables help helps "
    "contribute contributes benefit benefits remain remains depend depends affect affects require requires allow allows enjoy enjoys exhibit* gain gains "
    "give gives make makes suffer suffers fail fails"
)
SHOWS_THAT = re.compile(
    rf"(?<!the )(?<!an )(?<!\ba )\b{_SHOW}\b(?:[^.;:]{{0,80}}?\b(?:that|whether)\b|\s?:|,? (?:the )?(?:following|inverse|opposite)\b|"
    rf",?\s(?:(?!of\b|how\b|for\b|by\b|on\b|in\b)[\w'’/.+-]+\s){{1,8}}?(?:{_BE}|{_RESULT})\b)"
    rf"|\b(?:is|are|was|were) (?:also |further |empirically |experimentally |theoretically )?(?:shown|proven|proved|demonstrated|found|observed|verified|seen) to\b"
    r"|\b(?:findings?|results?|observations?|conclusions?) (?:is|are|was) that\b|\b(?:data|results|experiments|findings|evidence|simulations) (?:\w+ )?supports? (?:the|our|this|a)\b",
    re.IGNORECASE,
)
"""A finding: "we show that", "results indicate our method is", "is found to"."""

_EVALUATED = (
    r"(?:state[- ]of[- ]the[- ]arts?|SOTA|competitive|comparable|superior|better|best|record|higher|highest|lower|lowest|faster|improved|improv\w+|gains?|"
    r"significant\w*|substantial\w*|considerabl\w+|remarkabl\w+|notabl[ey]|impressive|excellent|outstanding|strong(?:er)?|favou?rabl\w+|satisfactory|promising|"
    r"near[- ]optimal|optimal|similar|same|equivalent|high(?:ly)?|good|great(?:er)?|speed-?ups?|reduction|robust|consistent(?:ly)?|accurate|more|fewer|less|on[- ]par|"
    r"leading|large|low|precise|smoother|stable)"
)
_MEASURE = (
    r"(?:performances?|results?|accurac(?:y|ies)|quality|efficienc(?:y|ies)|precision|recall|improvements?|gains?|reductions?|speed-?ups?|trade-?offs?|rates?|"
    r"errors?|scores?|levels?|robustness|generaliz\w+|generalis\w+|convergence|speeds?|margins?|advantages?|costs?|complexity|memory|savings?|estimat\w+|predict\w+|"
    r"detect\w+|reconstruct\w+|diversity|fidelity|boosts?|increases?|capabilit(?:y|ies)|agreement|correlations?|success|state[- ]of[- ]the[- ]arts?|SOTA|overhead|"
    r"numbers?|solutions?|parameters|samples|variance|transfer\w*|stability|consistency|coverage|throughput|latency)"
)
_REACH = r"(?:achiev(?:es?|ed|ing)|obtain(?:s|ed|ing)?|attain\w*|reach(?:es|ed|ing)?|yield(?:s|ed|ing)?|deliver(?:s|ed|ing)?|produc(?:es|ed))"
ACHIEVES = re.compile(
    rf"\b(?:{_REACH}|sets?|setting|exhibit\w*|enjoy\w*|{_SHOW}|gets?|perform(?:s|ed)?|gain(?:s|ed)?|advanc(?:es|ed)|pushes|leads? to|leading to|results? in|resulted in|maintain(?:s|ed|ing)?|retain\w*|"
    rf"provid(?:es|ed)|offers?|gives?)"
    rf"\b[^.;:]{{0,60}}?\b{_EVALUATED}\b(?:[^.;:]{{0,50}}?\b{_MEASURE}\b)"
    rf"|\b(?:ha(?:s|ve|d)|with|is|are|was|were|becomes?) (?:an? |the )?(?:\w+ly )?(?:much |far )?(?:better|best|superior|higher|lower|faster|fewer|smaller|greater|comparable|competitive)\b"
    rf"|\bperform(?:s|ed)? (?:\w+ly )?(?:better|best|worse|well|similar\w*|compara\w+|equally|on par|as)\b",
    re.IGNORECASE,
)
"""A level that is judged: "achieves competitive results", "has lower latency"."""
_REACHES = re.compile(rf"\b{_REACH}\b[^.;:]{{0,60}}?\b{_EVALUATED}\b[^.;:]{{0,50}}?\b{_MEASURE}\b", re.IGNORECASE)

_TOPS = re.compile(
    r"\b(?:out-?perform(?:s|ed|ing|ance)?|surpass(?:es|ed|ing)?|exceed(?:s|ed|ing)?|beat(?:s|ing)?|superiority|superior(?= (?:to|over|than|compared|in|on|when|effectiv\w+)\b| (?:[\w-]+ ){0,2}(?:performance|results?|accuracy|quality|generali\w+|"
    r"efficiency|robustness|sample|convergence|empirical|predictive))|dominat(?:es|ed|ing)|on[- ]par|rivals?|rivall?ing|"
    r"(?:new|establish\w+|sets?|setting|achiev\w+|obtain\w*|attain\w*|reach\w*|yield\w*|deliver\w*|advanc\w+|improv\w+|push\w*|demonstrat\w+|shows?|produc\w+|report|with|is|are|as)\s"
    r"(?:[\w-]+,? ){0,4}?(?:state[- ]of[- ]the[- ]arts?|SOTA)(?=[.,;)\"]|$| (?:[\w-]+ )?(?:performances?|results?|accurac\w+|levels?|quality|perplexit\w+|scores?|efficiency|trade-?offs?)| (?:on|in|for|at|with|and|among|across|both|by|over|while|of)\b)|"
    r"(?:much|far|significantly|substantially|consistently|considerably) (?:better|faster|higher|lower|more|less|fewer|smaller|larger)|"
    r"(?:well|favou?rably) (?:against|compared|with|to)|compar(?:es|ed|ing)? (?:very )?favou?rably|match(?:es|ed|ing)? (?:or \w+ )?(?:the |state|its|their|those|that|human|fully|or exceed\w*))\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:(?:better|faster|higher|lower|fewer|cheaper|smaller|tighter|sharper|stronger|larger|easier|shorter|greater|slower|worse|earlier|longer|smoother|"
    r"straighter|simpler|weaker|less|more|closer|deeper|wider|richer|milder|harder|superior)\b[^.;]{0,90}?\b(?:than|compared (?:to|with)|relative to)\b|"
    r"(?:improv\w+|gains?|advantages?|reduc\w+|increas\w+|speed-?ups?|savings?|boosts?|benefits?|results?|performances?|better|superior\w*|effective\w*|efficac\w+|efficien\w+|margin)\b[^.;]{0,70}?"
    r"\b(?:over (?:the |existing|previous|prior|other|baseline|current|strong|state|all|both|their|its|competing|standard|[A-Z])|upon (?:the|existing|previous|prior|state)|"
    r"compared (?:to|with|against)|in comparison (?:to|with)|relative to|against|with respect to (?:the )?(?:existing|previous|baseline|state))|"
    r"(?:compared (?:to|with)|in comparison (?:to|with)|relative to|unlike|over)\b[^.;]{0,90}?\b(?:improv\w+|reduc\w+|increas\w+|better|higher|lower|faster|fewer|less|more|outperform\w*|"
    r"superior|comparable|competitive|stronger|smaller|larger)|comparabl[ye]|competitive(?:ly)?|as (?:good|well|fast|accurate|effective) as|"
    r"different(?:ly)? from those|without (?:any |a |much |significant |noticeable |notable |sacrific\w+|compromis\w+|hurting|degrad\w+|losing|diminish\w*|loss|additional ))\b",
    re.IGNORECASE,
)
_DEGREE = (
    r"(?:significantly|substantially|consistently|considerably|greatly|dramatically|drastically|markedly|notably|largely|remarkably|strongly|"
    r"effectively|vastly|noticeably|clearly|reliably|efficiently|always|slightly|systematically|successfully|hugely|massively|heavily)"
)
_CHANGES = (
    r"(?:(?:(?<=s )|(?<=we )|(?<=can )|(?<=ly ))(?:improve|reduce|increase|enhance|boost|decrease|accelerate|mitigate|alleviate|eliminate)|improv(?:es|ed)|reduc(?:es|ed)|increas(?:es|ed)|decreas(?:es|ed)|boost(?:s|ed)|enhanc(?:es|ed)|accelerat(?:es|ed)|lower(?:s|ed)?|raises?|raised|cuts?|"
    r"saves?|saved|shrinks?|speeds? up|sped up|drops?|dropped|degrad(?:es?|ed)|mitigat(?:es|ed)|alleviat(?:es|ed)|eliminat(?:es|ed)|benefit(?:s|ed)?|hampers?|hurts?|"
    r"affects?|affected|impacts?|impacted|influences?|influenced|helps?|suppress(?:es|ed)?|minimi[sz](?:es?|ed)|exacerbat(?:es?|ed)|amplif(?:y|ies|ied)|varies|differs?|slash(?:es|ed)?)"
)
_MARKEDLY = re.compile(
    rf"\b(?:{_DEGREE} (?:\w+ )?{_CHANGES}|{_CHANGES}\b[^.;]{{0,60}}?\b{_DEGREE}|by a (?:large|wide|significant|substantial|considerable|clear|good|big|huge) margin|"
    rf"(?:significant|substantial|considerable|consistent|major|dramatic|large|notable|remarkable|clear|drastic|marked|noticeable) (?:\w+ ){{0,2}}"
    rf"(?:improvements?|gains?|reductions?|increases?|drops?|boosts?|speed-?ups?|decreases?|advantages?|differences?|effects?|savings?))\b",
    re.IGNORECASE,
)
_MOVED = re.compile(
    rf"\b{_CHANGES}\b[^.;]{{0,50}}?\b(?:accurac(?:y|ies)|performance|errors?|quality|speed|cost|time|memory|parameters|efficiency|robustness|latency|"
    r"overhead|consumption|variance|regret|complexity|throughput|success rates?|precision|recall|sample|samples|convergence|generali[sz]ation|results|stability|bias|scores?)\b",
    re.IGNORECASE,
)
GUARANTEES = re.compile(
    r"\b(?:prove[sdn]?|proving|proofs?|establish(?:es|ed)?|deriv(?:e|es|ed|ing)|deliver(?:s|ed)?|giv(?:e|es|en|ing)|obtain(?:s|ed)?|present(?:s|ed)?|provid(?:e|es|ed|ing)|show[sn]?|"
    r"achiev(?:e|es|ed|ing)|enjoys?|attains?|have|has|with|yields?|finds?|admits?|main result is|requir(?:es|ing)|guarantee(?:s|d|ing)?|ensur(?:es|ing)|develop)\b[^.;]{0,110}?"
    r"\b(?:(?:upper|lower|regret|error|risk|generalization|generalisation|convergence|sample|complexity|excess|theoretical|approximation|minimax|matching|tight\w*|sharp\w*|distortion|"
    r"probabilistic|high-probability|finite-sample|finite-time|concentration|PAC(?:-Bayes\w*)?|performance|utility|provable|non-asymptotic) (?:[\w-]+ )?(?:bounds?|rates?|guarantees?|results?)|"
    r"bounds? (?:on|for|of|that|depending)|rates? of (?:convergence|O|order)|convergence|regret|guarantees? that|sample complexity|(?:computational|time|space|query|"
    r"iteration|oracle|communication|linear|gradient) complexity|consistency of|asymptotic\w* (?:consisten|normal|optimal|efficien)\w*|identifiab\w+|intractab\w+|impossib\w+|"
    r"inapproximab\w+|hardness|approximation (?:ratio|factor|algorithm|guarantee)|competitive ratio|oracle inequalit\w+|necessary and sufficient|soundness|completeness|truthful\w*|"
    r"recovery (?:guarantee|of|is)|exact recovery|strategy-?proof\w*|incentive[- ]compatib\w+|equivalen(?:ce|t)|universal approximat\w+|statistical guarantees?|theoretical guarantees?)\b"
    r"|\b(?:bounds?|rates?|guarantees?|inequalit\w+|convergence|consistency|optimality)\b[^.;]{0,50}? (?:is|are) (?:also |further )?(?:derived|established|proved|proven|obtained|provided|given|shown)\b"
    r"|\b(?:provabl[ye]|NP-(?:hard|complete)\w*|PSPACE-\w+|coNP\w*|guaranteed to|minimax[- ]optimal\w*|near-optimal regret|asymptotically (?:consistent|optimal|normal|unbiased|linear|efficient)|"
    r"in polynomial[- ]time|fixed[- ]parameter tractable|(?<!to )converges? (?:to|at|linearly|sub-?linearly|exponentially|almost|globally|faster|when|in|with)|at an? (?:\w+[- ])?(?:linear|sublinear|exponential|geometric|optimal) rate|"
    r"with (?:high )?probability (?:at least|one|1)|with high probability|(?:upper|lower)[- ]bounded by|(?:is|are) (?:upper|lower)[- ]bounded|(?:is|are) (?:also )?(?:tight|optimal|minimax|unbiased|consistent|"
    r"intractable|NP-hard|undecidable|decidable|tractable|identifiable|impossible|invariant|uniquely|provably|unique|convex)|optimal up to|up to (?:logarithmic|constant|log|poly\w*) factors?|"
    r"[\d/)}]-(?:competitive|approximat\w+)|(?:grows?|scales?|depends?|increases?|reduces?) (?:only )?(?:\w+ ){0,4}?(?:linear(?:ly)?|logarithmic\w*|polynomial\w*|exponential\w*|quadratic\w*|sublinear\w*)|"
    r"(?:linear|logarithmic|polynomial|quadratic|quasi-polynomial|sublinear|constant|super-?polynomial|exponential)(?:ly)? (?:in|dependence|time|number|many|space|sample|query)|"
    r"strictly better|do(?:es)? not (?:suffice|exist|converge)|matches the (?:lower|upper|best|optimal|known|bound))\b"
    r"|\b(?:tilde|mathcal|mathrm|widetilde)?\s?\{?\\?(?:O|Omega|Theta|order|Õ)\}?\s?(?:\(|\\left|\\big)|Õ\(|\bbound\b[^.;]{0,60}\$",
    re.IGNORECASE,
)
"""A guarantee: a bound, a rate, hardness, optimality, consistency, identifiability."""

# --- what speaks against a claim -----------------------------------------------------------------------------------

_HEDGES = re.compile(
    r"\b(?:we (?:\w+ )?(?:believe|hope|expect|hypothesi[sz]e|conjecture|anticipate|envision|argue|posit|suspect|aim|seek|strive|wish|want|intend)|"
    r"ha(?:s|ve) the potential|future (?:work|research|directions?|stud|improve|develop)\w*|hopefully|perhaps|pav\w+ the way|"
    r"sheds? (?:new |some )?light|opens? (?:up )?(?:new|the|a|an) |in the hope|intend(?:s|ed)? to|our (?:goal|aim|objective|motivation|hope|focus)|"
    r"remains? (?:an open|unclear|unknown|challenging|a challenge|to be|largely|under-?explored|open)|the (?:goal|aim|purpose) (?:of|is)|of independent interest|"
    r"need not|insights? (?:into|for|on|about)|hints? at|implications? (?:for|on|of)|roadmap|guidelines|directions? for)\b",
    re.IGNORECASE,
)
_MAYBE = re.compile(r"\b(?:could|might|may|would|should|potentially|possibly)\b", re.IGNORECASE)
_OTHERS = r"(?:recent(?:ly)?|existing|previous(?:ly)?|prior|earlier|past|current(?:ly)?|traditional(?:ly)?|conventional(?:ly)?|many|most|several|some|numerous|other|these|such|common|typical)"
_WORKS = r"(?:works?|methods?|approaches|studies|research(?:ers|es)?|models?|techniques?|algorithms?|literature|efforts?|findings|advances?|methodologies|solutions?|attempts?|evidence|systems?|results?)"
_PRIOR = re.compile(
    rf"^[\"'“]?(?:However, |Although |While |Despite |Though |Nonetheless,? |Nevertheless, |Yet,? |But |In general, |Typically, |Unfortunately, |Also, |In (?:the )?(?:contrast|meantime), |"
    rf"Surprisingly, |Interestingly, |Furthermore, |Moreover, )?(?:the |a |an |much |all |a (?:large|vast|growing) (?:number|majority|body) of )?(?i:{_OTHERS})\b(?! of our)(?:(?! (?:we|our|this paper)\b)[^.;,]){{0,80}}?\b{_WORKS}\b"
    rf"|^[\"'“]?(?:Recent(?:ly)?|Existing|Previous(?:ly)?|Current(?:ly)?|Traditional(?:ly)?|Conventional(?:ly)?|Prior|Nowadays|Unfortunately|Typical(?:ly)?|In recent years|Over the (?:past|last|recent)|"
    rf"To (?:address|tackle|solve|overcome|bridge|remedy|fill|gain|this end|mitigate|alleviate|encourage|facilitate|cope|handle|achieve|evaluate|verify|measure|quantify|guide|enhance)|"
    rf"Inspired|Motivated|Based on (?:this|these|the)|Learning how|There (?:is|are|has|have))\b"
    rf"|\b(?:[Ii]t (?:is|has(?: also)? been)(?: \w+ly)? (?:well[- ])?(?:known|shown|established|believed|observed)|ha(?:s|ve) (?:been )?(?:recently )?(?:shown|demonstrated|achieved|proven|made|emerged|become|gained|seen|received|attracted)|"
    rf"(?:is|are) (?:widely|commonly|often|typically|usually|known)|research has|recent (?:empirical )?(?:work|studies|findings|results|research|evidence)\w* (?:show|suggest|indicate|reveal|demonstrate|ha))\b",
)
_OURS = re.compile(
    r"\b(?:[Ww]e|[Oo]ur|[Tt]his (?:paper|work|study|article)|[Tt]he proposed|[Ee]xperiment(?:s|al)?|[Ee]mpirical(?:ly)?|[Ss]imulations?)\b"
)
_PLANS = re.compile(
    r"\b(?:[Ww]e|[Tt]his (?:paper|work|study|article|thesis|survey)|[Tt]he (?:paper|authors?)|(?<=\s)(?:is|are|was|were)|has been|have been)"
    r"(?:(?: then| also| further| first(?:ly)?| therefore| thus| here| next| now| finally| moreover| hence| additionally| instead| \w+ly),?)* (?:propose[sd]?|present(?:s|ed)?|introduce[sd]?|"
    r"develop(?:s|ed)?|design(?:s|ed)?|study|studies|studied|investigate[sd]?|consider(?:s|ed)?|address(?:es|ed)?|explore[sd]?|describe[sd]?|formulate[sd]?|reviews?|reviewed|examine[sd]?|"
    r"discuss(?:es)?|revisit|leverage|use[sd]?|employ(?:ed|s)?|adopt(?:ed)?|buil[dt]s?|construct(?:ed)?|release|collect(?:ed)?|create[sd]?|train(?:ed)?|focus(?:es)?|devised?|"
    r"apply|applied|extend|evaluate[sd]?|conduct(?:ed)?|compare[sd]?|analy[sz]e[sd]?|tackle[sd]?|formali[sz]e|incorporate[sd]?|integrate[sd]?|combine[sd]?|define[sd]?|learn|utili[sz]e[sd]?|"
    r"draw|unify|implement(?:ed)?|operationalize|quantify|take|perform|test|tested|generate|exploit|advocate|provide|give|make|turn|start|begin|initiate|derive[sd]?|validate[sd]?|verify|verified|"
    r"demonstrate the|showcase|illustrate|deploy|cast|recast|model|pose|map|fit|adapt|modify|augment|add|offer|contribute|optimi[sz]e|solve|survey|summari[sz]e|hypothesi[sz]e|carry out|carried out|run|benchmark)\b"
)
_PURPOSE = re.compile(
    r"(?<!shown )(?<!able )(?<!found )(?<!proven )(?<!proved )(?<!seen )(?<!guaranteed )(?<!observed )(?<!sufficient )(?<!known )(?<!demonstrated )"
    r"\b(?:in order |so as |aims?(?:ed|ing)? |attempts? |tries |trying |designed |how |ability |capable |order |used |needed |required |necessary )?to (?:\w+ly |further |also |better |jointly |both )?"
    r"(?:improve|achieve|obtain|reduce|increase|boost|enhance|accelerate|outperform|surpass|attain|reach|lower|minimi[sz]e|maximi[sz]e|mitigate|alleviate|decrease|provide|produce|yield|"
    r"speed up|eliminate|save|raise|facilitate|generate|make|get|match|beat|exceed|give|ensure|guarantee|maintain|help|compare)\b"
    r"|\b(?:for|of|at|towards?) (?:further |significantly )?(?:improving|achieving|reducing|increasing|enhancing|boosting|accelerating|obtaining|mitigating|alleviating|speeding)\b"
    r"|\b(?:aims?|attempts?|tries|hopes?|seeks?|intends?) (?:to|at)\b",
    re.IGNORECASE,
)
_SETUP = re.compile(
    r"\b(?:dataset|corpus|benchmark|data set|database|collection) (?:\w+ )?(?:of|contain\w*|consist\w*|includ\w+|compris\w+|spanning|that (?:contains|includes|covers|spans))\b|"
    r"\b(?:consist|compos)(?:s|ing|ed)? of\b|\bcontain(?:s|ing)\b|\b(?:annotated|labell?ed|collected|recorded|compris\w+|participants|were recruited)\b",
    re.IGNORECASE,
)
_RELEASE = re.compile(
    r"https?://|\b(?:code|codes|dataset|datasets|data|models|software|demo|videos?|implementation|project page|webpage|supplementary material)\b[^.;]{0,80}?\b(?:available|released?|accessed|found (?:at|in)|"
    r"published|downloaded|public(?:ly)?|open-?sourced?|made)\b|\b(?:we (?:will )?(?:release|make|open-source|publish))\b",
    re.IGNORECASE,
)
_EFFECT = re.compile(
    r"\b(?:effective(?:ness)?|efficacy|usefulness|value|potential|applicability|feasibility|validity|utility|practicality|flexibility|versatility|promise|importance|need|benefits?|"
    r"merits?|capabilit(?:y|ies)|performance|generality|impact|strengths?|relevance|trustworth\w+|robustness|efficiency|scalability|simplicity|reliability|findings|proposals|idea|advantages?|"
    r"viability|correctness|power|behaviou?r|complexity|difficult\w+|challeng\w+)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^[\"'“]?(?:Specifically|In particular|Particularly|Moreover|Furthermore|Additionally|In addition|Further|Conversely|In contrast|By contrast|However|Interestingly|Surprisingly|Notably|"
    r"Remarkably|Also|Besides|For (?:example|instance)|Meanwhile|Importantly|Crucially|Indeed|Similarly|Likewise|Finally|Lastly|On (?:the )?\w+|In (?:the )?\w+|With \w+|When|Even|At|Under|After|Both|The|"
    r"These|It|They|Our|This|As|Overall|Compared|Relative|Using|By|Across|Without|Among|Also|[A-Z][\w-]*[A-Z\d][\w-]*)\b"
)
_FINDING = re.compile(
    r"\b(?:no (?:significant |statistically significant )?(?:improvements?|differences?|effects?|gains?|benefits?)|correlat\w+|(?:do|does|did) not (?:affect|improve|help|change|fully|generali[sz]e|transfer)|"
    r"affected|affects|resistant|differs?|sensitive to|depends? (?:on|only)|sufficient|preferred|more \w+|less \w+|fewer|increas(?:es|ed)|decreas(?:es|ed)|reduc(?:es|ed)|improv(?:es|ed)|"
    r"better|worse|higher|lower|faster|outperform\w*|comparable|robust to|generali[sz]es?|drops?|degrades?|fails?|remains?|verified|confirmed|supports? (?:the|our))\b",
    re.IGNORECASE,
)


_SHOWN = re.compile(rf"\b{_SHOW}\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_CLAUSE = re.compile(r"\b(?:that|can|is|are|was|were|outperforms?|achieves?|improves?)\b")
_QUESTION = re.compile(r"\?|\bquestions?\b[^.]{0,40}\bwhether\b")
_CITES = re.compile(r"\bet al\b|\([A-Z][^()]{2,60}, (?:19|20)\d\d\)")
_OWN = re.compile(
    r"\b(?:[Ww]e|[Oo]ur|[Tt]his (?:paper|work|study|article|research)|[Hh]erein|(?:[Tt]he|A) (?:proposed|resulting|presented))\b|"
    r"^[\"']?Here\b|\b(?:is|are) (?:proposed|presented|introduced|developed)\b"
)


def begins_own_work(sentence: str) -> bool:
    """Whether a sentence speaks of the paper's own work: what stands before it is about others."""
    return _OWN.search(sentence) is not None


def is_claim(sentence: str, measured: bool, own: bool, after: bool = False) -> bool:
    """Whether a sentence states a result that a study could confirm or refute.

    `measured`: it holds a quantity; `own`: the abstract has come to its own work; `after`: the sentence before was a claim.
    """
    if not own or _QUESTION.search(sentence):
        return False
    told = _PURPOSE.sub(" ", sentence)

    def says(pattern: re.Pattern[str]) -> bool:
        return pattern.search(told) is not None

    shows, tops = says(SHOWS_THAT), says(_TOPS)
    if _is_about_others(sentence, told, shows, tops) or (_RELEASE.search(sentence) and not tops):
        return False
    maybe = says(_MAYBE)
    if _HEDGES.search(sentence) and not (tops or measured or (shows and says(_OURS) and not _MAYBE.search(sentence))):
        return False
    if maybe and not (shows or measured or says(GUARANTEES)):
        return False
    if not (tops or measured) and _only_effect(told):
        more = says(_COMPARED) or says(_MARKEDLY) or says(_REACHES) or (shows and says(GUARANTEES))
        if not more:
            return False
    if shows or tops or says(GUARANTEES):
        return True
    plans = says(_PLANS)
    if measured:
        return not says(_SETUP) and (not plans or says(_COMPARED) or says(_MARKEDLY) or says(ACHIEVES))
    if plans:
        return says(ACHIEVES) and says(_COMPARED)
    if says(ACHIEVES) or says(_MARKEDLY) or says(_MOVED) or (says(_COMPARED) and not maybe):
        return True
    return after and says(_GOES_ON) and says(_FINDING) and not maybe


def _is_about_others(sentence: str, told: str, shows: bool, tops: bool) -> bool:
    """Whether a sentence tells of the work of others: it cites it, or begins like it and shows nothing of one's own."""
    ours = _OURS.search(told) is not None
    if not ours and _CITES.search(sentence):
        return True
    return _PRIOR.search(sentence) is not None and not (ours and (shows or tops or ACHIEVES.search(told)))


def _only_effect(told: str) -> bool:
    """Whether nothing but "the effectiveness of our method" is shown."""
    shown = _SHOWN.search(told)
    effect = _EFFECT.search(shown["rest"]) if shown else None
    return shown is not None and effect is not None and not _CLAUSE.search(shown["rest"][: effect.start()])
