"""Sentences of an abstract: where one ends, and where a full stop ends none."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.claims.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("As in Fig. 3 it holds, i.e. always. Next.", ["As in Fig. 3 it holds, i.e. always.", "Next."]),
        ("It follows Roe et al. (2020) and others. Next.", ["It follows Roe et al. (2020) and others.", "Next."]),
        ("Trees vs. Bushes are compared. Next.", ["Trees vs. Bushes are compared.", "Next."]),
        ("J. Roe came. He left.", ["J. Roe came.", "He left."]),
        ("It is 3.5 m. $x$ is next. \\emph{So} is this.", ["It is 3.5 m.", "$x$ is next.", "\\emph{So} is this."]),
        ('It grows ("fast."). The rest waits.', ['It grows ("fast.").', "The rest waits."]),
        ("Trees, bushes, etc. They grow.", ["Trees, bushes, etc.", "They grow."]),
        ("Trees grow.Bushes do not, however.", ["Trees grow.", "Bushes do not, however."]),
        ("See https://example.org/a.B for it.", ["See https://example.org/a.B for it."]),
        ("One part\n\nand another", ["One part", "and another"]),
        ("No end", ["No end"]),
        (" \n ", []),
        ("", []),
    ],
)  # fmt: skip
def test_where_sentences_end(text, expected):
    assert [text[start:end] for start, end in sentences(text)] == expected


@given(st.text(alphabet="aB. \n?!\"')3$\\", max_size=80) | st.text(max_size=200))
def test_every_letter_lies_in_one_sentence(text):
    spans = sentences(text)
    assert "".join("".join(text[start:end] for start, end in spans).split()) == "".join(text.split())
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert all(text[start:end].strip() == text[start:end] for start, end in spans)
