"""What every method has to satisfy, for Octax."""

from assay.testing import parametrize_methods


@parametrize_methods("environments/octax")
def test_method(check):
    check()
