"""Every built-in method passes every check."""

from assay import catalogue
from assay.testing import parametrize_methods

BUILT_IN = [card for card in catalogue.cards()[0] if card.module.startswith("assay.methods.")]


def test_there_are_built_in_methods_and_no_broken_cards():
    assert BUILT_IN
    assert [str(line) for line in catalogue.cards()[1] if not line.where.startswith("plug-in ")] == []


@parametrize_methods(*BUILT_IN)
def test_method(check):
    check()
