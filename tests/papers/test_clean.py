import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.papers.clean import clean, family, links_in, normal, rejoin, split_authors, without_controls, words_of


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("plain text", "plain text"),
        ("two\nlines  and\tspaces", "two lines and spaces"),
        ("AT&amp;T and &amp;lt;b&amp;gt;", "AT&T and <b>"),
        ("https://x.org/?a=1&noteId=b", "https://x.org/?a=1&noteId=b"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;", "<script>alert(1)</script>"),
        ("&#27;[31mred", "[31mred"),
        ("soft\u00adhyphen zero\u200bwidth \ufeffmark", "softhyphen zerowidth mark"),
        ("bidi \u202eevil\u202c \u2066x\u2069", "bidi evil x"),
        ("e\u0301 and \ufb01", "\u00e9 and \ufb01"),
        ("lone \ud800 half", "lone \ufffd half"),
        (r"85\% and lm\_head, vs.\ inference", "85% and lm_head, vs. inference"),
        (r"$\sim$30\%", "\u223c30%"),
        (r"$35$\% and $75$\%", "35% and 75%"),
        (r"by $5.62\%$\u2013$17.27\%$ on".replace(r"\u2013", "\u2013"), "by 5.62%\u201317.27% on"),
        (r"\underline{\textbf{P}}rocess", "Process"),
        (r"$VERI{\large X}+$ step", "VERIX+ step"),
        (r"$\textbf{FAME}$ (Formal)", "FAME (Formal)"),
        (r"\textit{one-step steering} fails", "one-step steering fails"),
        (r"$\epsilon$-label and $O(n^{2})$", "\u03f5-label and O(n^2)"),
        (r"\emph{unbalanced {brace here", "unbalanced brace here"),
        (r"a \frac", r"a \frac"),
        ("a ``quoted'' word, 10~km", "a ``quoted'' word, 10~km"),
        (r"``quoted'' and \emph{x}", "\u201cquoted\u201d and x"),
        (r"Erd\H{o}s, R\'enyi, \"o, {\'a}", "Erd\u0151s, R\u00e9nyi, \u00f6, \u00e1"),
        (r"see \url{https://x.org/a_b} and \href{https://y.org}{the page}", "see https://x.org/a_b and the page"),
        (r"as shown \cite{foo} in \textbf{bold}", "as shown in bold"),
        ("$5 to $10", "$5 to $10"),
        ("$5-$10 a day", "$5-$10 a day"),
        (r"$5 and 5% of \textbf{all} & #3", "$5 and 5% of all & #3"),
        (r"\$5 and \textbf{x}", "$5 and x"),
        ("about 50% of all % signs", "about 50% of all % signs"),
        ("(RF)^2 and x_y and {a, b}", "(RF)^2 and x_y and {a, b}"),
        ("*noise stability* of *all* inputs", "noise stability of all inputs"),
        ("**bold** claim", "bold claim"),
        ("A* search and B* trees", "A* search and B* trees"),
        (r"$x^*$ and $y^*$", "x^* and y^*"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("", ""),
    ],
)
def test_clean(raw, plain):
    assert clean(raw) == plain


@given(st.text(max_size=300) | st.text(alphabet=r"\{}$%&*_^~# abc-`'", max_size=200))
def test_clean_takes_anything_and_gives_one_line(raw):
    plain = clean(raw)
    assert plain == " ".join(plain.split())
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in plain)
    plain.encode("utf-8")


@pytest.mark.parametrize(
    "piece", ["\\", "$a ", "{", "*a ", "&#38;", "com- mon ", "\\a{", "$", "$x\\", "\\textbf{a} ", "``"]
)
def test_clean_takes_megabytes(piece):
    """A quadratic step would take hours on these."""
    raw = piece * (2_000_000 // len(piece))
    assert clean(rejoin(raw, frozenset())) is not None
    assert isinstance(links_in(raw), dict)


@pytest.mark.parametrize(
    ("line", "names", "complete"),
    [
        ("Author One, Author Two", ("Author One", "Author Two"), True),
        ("Jane Roe, Jr., Author Two, III, A B, PhD", ("Jane Roe, Jr.", "Author Two, III", "A B, PhD"), True),
        ("Author One, Author Two 等", ("Author One", "Author Two"), False),
        ("Author One 等人", ("Author One",), False),
        ("Author One, et al.", ("Author One",), False),
        ("Author One and others", ("Author One",), False),
        ("Author One, others", ("Author One",), False),
        ("Author One, Author Two...", ("Author One", "Author Two"), False),
        ("Author One, \u2026", ("Author One",), False),
        ("张三、李四，王五", ("张三", "李四", "王五"), True),
        ("Ann Brothers", ("Ann Brothers",), True),
        (r"Jos\'e Garc{\'\i}a, A B", ("Jos\u00e9 Garc\u00eda", "A B"), True),
        ("", (), True),
    ],
)
def test_split_authors(line, names, complete):
    assert split_authors(line) == (names, complete)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Anna Bergstr\u00e4\u00dfer", "bergstrasser"),
        ("Jane Roe, Jr.", "roe"),
        ("VAHID TAROKH", "tarokh"),
        ("A. O'Neil", "o neil"),
        ("张三", "张三"),
        ("", ""),
    ],
)
def test_family(name, found):
    assert family(name) == found


def test_normal():
    assert normal(r"The \textbf{GFPO}-v2, $x_1$!") == "the gfpo v2 x 1"
    assert normal("\uff21\uff22 \ufb01ne") == "ab fine"


def test_broken_words_are_joined_only_where_the_listing_holds_them_whole():
    words = words_of(["the common directions", "com- mon direc- tions", "post hoc analysis", "posthoc"])
    assert rejoin("com- mon direc- tions", words) == "common directions"
    assert rejoin("post- hoc and pre- trained", words) == "post- hoc and pre- trained"


@pytest.mark.parametrize(
    ("raw", "links"),
    [
        ("at https://github.com/a/b_c. More", {"code": "https://github.com/a/b_c"}),
        (r"\url{https://x.org/a\_b}", {"project": "https://x.org/a_b"}),
        ("(https://gitlab.com/a/b)", {"code": "https://gitlab.com/a/b"}),
        (
            "https://anonymous.4open.science/r/x-1, and https://a.github.io/b",
            {"code": "https://anonymous.4open.science/r/x-1", "project": "https://a.github.io/b"},
        ),
        ("https://github.com/a/b https://github.com/c/d", {"code": "https://github.com/a/b"}),
        ("no link", {}),
    ],
)
def test_links_in(raw, links):
    assert links_in(raw) == links


def test_controls():
    assert without_controls("\ufeffa\0b\r\nc\rd\x1b[31m\te") == "ab\nc\nd\te"


def test_escape_sequences_go_whole():
    told = "a\x1b[1;31mb\x1b]0;owned\x07c\x1b]8;;https://example.org\x1b\\d\x9b2Je\x1bc\x1b(Bf\x1bPq#0\x1b\\g \x1b[Kh"
    assert without_controls(told) == "abcdefg h"
    assert clean("red \x1b[31mroses\x1b[0m") == "red roses"
    assert without_controls("no end \x1b]0;of it\nnext") == "no end ]0;of it\nnext"
