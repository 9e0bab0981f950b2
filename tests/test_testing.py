"""Every check passes for a whole method and fails, saying what to write, for each thing a method can lack."""

import importlib

import pytest

from assay import catalogue, testing
from assay.claims.effects import Cases
from assay.studies.study import Series, Settings
from assay.testing import MemoryRun, MethodIncomplete, check_method, checks, parametrize_methods, smoke
from toymethod import CARD, STUDY

NAMES = list(testing.CHECKS)


def failures(name, check):
    """The lines of one check of a method."""
    (one,) = [one for one in checks(name) if one.name == check]
    return one.lines()


def test_a_whole_method_passes_every_check(plugin):
    plugin()
    assert check_method("toy") == NAMES
    assert check_method(catalogue.find("toy")) == NAMES


def test_checks_are_named_and_run_nothing_before_they_are_called(plugin):
    plugin(**{"study.py": "raise RuntimeError('imported')"})
    assert [str(check) for check in checks("toy")] == [f"theory/toy: {name}" for name in NAMES]


def test_the_mark_for_pytest_has_one_case_per_check(plugin):
    plugin()
    mark = parametrize_methods("toy").mark
    assert mark.name == "parametrize"
    argument, cases = mark.args
    assert argument == "check"
    assert [case.name for case in cases] == NAMES
    everything = parametrize_methods().mark.args[1]
    assert {case.card.name for case in everything} >= {"theory/toy", "privacy/rpwithprior"}


def test_check_method_gives_every_line_of_every_check(plugin):
    plugin(**{"doubling.py": None, "card.toml": CARD.replace('easy = "Everything."', "")})
    with pytest.raises(MethodIncomplete) as caught:
        check_method("toy")
    text = str(caught.value)
    assert "theory/toy, card complete: " in text
    assert "field 'easy' is empty; write what was easy to reproduce" in text
    assert "there is no file with the method's code; write one" in text
    assert "double: ModuleNotFoundError" in text


UNTESTED = 'id = "lower"\nsays = "It is lower."\nkind = "more"\n'

LACKS = {
    "no summary of what was hard": (
        "card complete",
        {"card.toml": CARD.replace('hard = "Nothing."', "")},
        "field 'hard' is empty",
    ),
    "no exports": (
        "card complete",
        {"card.toml": CARD.replace('["double"]', "[]")},
        "field 'exports' is empty; write the public names",
    ),
    "no place of the paper": (
        "card complete",
        {"card.toml": CARD.replace('[ids]\narxiv = "2601.99999"', "")},
        "neither [ids] nor [links] says where the paper is",
    ),
    "unknown status": (
        "card complete",
        {"card.toml": f'status = "famous"\n{CARD}'},
        "status 'famous' is none of unknown, submitted",
    ),
    "unknown kind of identifier": (
        "card complete",
        {"card.toml": CARD.replace("arxiv =", "archive =")},
        "[ids] has an unknown kind 'archive'",
    ),
    "nothing reported": (
        "card complete",
        {"card.toml": CARD.split("[[claim.reported]]")[0]},
        "[[claim]] higher has no [[claim.reported]]; write what the paper reports",
    ),
    "claim without a test": (
        "card complete",
        {"card.toml": f'{CARD}\n[[claim]]\n{UNTESTED}reported = [{{ words = "low" }}]'},
        "[[claim]] lower is tested by no Test of study.py; write one, or `untested` and why",
    ),
    "tested and untested": (
        "card complete",
        {"card.toml": CARD.replace('kind = "more"', 'kind = "more"\nuntested = "no time"')},
        "[[claim]] higher is `untested`, but study.py tests it",
    ),
    "no study": ("card complete", {"study.py": None}, "there is no study.py; write one"),
    "no study in the folder": ("folder complete", {"study.py": None}, "there is no study.py; write it"),
    "no example": ("folder complete", {"example.py": None}, "there is no example.py; write it"),
    "no code": ("folder complete", {"doubling.py": None}, "there is no file with the method's code"),
    "export that is not there": (
        "exports load lazily",
        {"card.toml": CARD.replace('["double"]', '["double", "treble"]')},
        "treble: AttributeError",
    ),
    "package that cannot be imported": (
        "exports load lazily",
        {"__init__.py": "import no_such_package"},
        "`import toyplug.toy` fails: ModuleNotFoundError",
    ),
    "sibling loaded": (
        "exports load lazily",
        {"__init__.py": "import toyplug.sibling\nfrom toyplug.toy.doubling import double"},
        "importing toy also loads toyplug.sibling; export names lazily",
    ),
    "function without docstring": (
        "docstrings complete",
        {"doubling.py": "def double(x):\n    return 2 * x"},
        "doubling.py:1: double has no docstring; write one",
    ),
    "parameter not described": (
        "docstrings complete",
        {"doubling.py": 'def double(x, times=2):\n    """Twice `x`."""\n    return times * x'},
        "double: parameter 'times' is not described",
    ),
    "class without docstring": (
        "docstrings complete",
        {"doubling.py": "class double:\n    def __init__(self, x): ..."},
        "class double has no docstring",
    ),
    "data class whose docstring is made up": (
        "docstrings complete",
        {"doubling.py": "from dataclasses import dataclass\n@dataclass\nclass double:\n    x: int"},
        "class double has no docstring",
    ),
    "field not described": (
        "docstrings complete",
        {
            "doubling.py": "from dataclasses import dataclass\n@dataclass\nclass double:\n"
            '    """A double."""\n    x: int\n    """A number."""\n    y: int'
        },
        "class double: parameter 'y' is not described",
    ),
    "method without docstring": (
        "docstrings complete",
        {"doubling.py": 'class double:\n    """A double."""\n    def fit(self, x):\n        return self'},
        "double.fit has no docstring",
    ),
    "property without docstring": (
        "docstrings complete",
        {"doubling.py": 'class double:\n    """A double."""\n    @property\n    def half(self):\n        return 1'},
        "double.half has no docstring",
    ),
    "class method's parameter": (
        "docstrings complete",
        {
            "doubling.py": 'class double:\n    """A double."""\n    @classmethod\n    def of(cls, n):\n'
            '        """Make one."""'
        },
        "double.of: parameter 'n' is not described",
    ),
    "method of a base class": (
        "docstrings complete",
        {"doubling.py": 'class Base:\n    def fit(self): ...\nclass double(Base):\n    """A double."""'},
        "Base.fit has no docstring",
    ),
    "no main": ("example runs twice alike", {"example.py": "print(1)"}, "there is no function main(); write one"),
    "long main": (
        "example runs twice alike",
        {"example.py": "def main():\n" + "    print(1)\n" * 30},
        "main() has 31 lines; shorten it to 30",
    ),
    "silent main": ("example runs twice alike", {"example.py": "def main():\n    pass"}, "main() prints nothing"),
    "failing main": (
        "example runs twice alike",
        {"example.py": "def main():\n    raise ValueError('no')"},
        "main() fails: ValueError: no",
    ),
    "main that changes": (
        "example runs twice alike",
        {"example.py": "import os\ndef main():\n    print(os.getpid())"},
        "main() prints something else each time; fix the seeds",
    ),
    "study without docstring": (
        "study fits the card",
        {"study.py": STUDY.replace('"""Compares two numbers."""', "")},
        "study 'toy' has no docstring",
    ),
    "no stand-in": (
        "study fits the card",
        {"study.py": STUDY.replace('stand_in = "numbers in place of data"', "")},
        "stand_in must say what stands in",
    ),
    "setting without docstring": (
        "study fits the card",
        {"study.py": STUDY.replace('"""Seconds an arm sleeps."""', "")},
        "setting 'pause' of ToySettings has no docstring",
    ),
    "two classes of settings": (
        "study fits the card",
        {"study.py": STUDY.replace("full = ToySettings(seeds=20)", "full = Settings()")},
        "small is ToySettings and full is Settings; use one class",
    ),
    "few seeds": (
        "study fits the card",
        {"study.py": STUDY.replace("small = ToySettings()", "small = ToySettings(seeds=4)")},
        "small.seeds is 4; plan at least 5",
    ),
    "regime twice": (
        "study fits the card",
        {"study.py": STUDY.replace("small = ToySettings()", 'small = ToySettings(regimes=("a", "a"))')},
        "small.regimes is ('a', 'a'); name each regime once",
    ),
    "test of another claim": (
        "study fits the card",
        {"study.py": STUDY.replace('Test("higher"', 'Test("hihger"')},
        "Test('hihger', 'toy'): card.toml has no [[claim]] with this id; it has higher",
    ),
    "margin": (
        "study fits the card",
        {"study.py": STUDY.replace("margin=0.1", "margin=0.0")},
        "margin is 0; give the smallest effect that matters",
    ),
    "keeps without a spoiled arm": (
        "study fits the card",
        {"card.toml": CARD.replace('"more"', '"keeps"')},
        "a claim of kind 'keeps' needs a spoiled arm",
    ),
    "magnitude without reported": (
        "study fits the card",
        {"study.py": STUDY.replace("margin=0.1", 'margin=0.1, compares="magnitude"')},
        "compares a magnitude with nothing; add `reported`",
    ),
    "regime of nobody": (
        "study fits the card",
        {"study.py": STUDY.replace("margin=0.1", 'margin=0.1, regimes=("rough",)')},
        "regime 'rough' is none of the settings' (all)",
    ),
    "trial that raises": (
        "a trial runs",
        {"study.py": STUDY.replace("def value(arm", "1 / 0\n\n        def value(arm")},
        "a trial with seed 0 raises ZeroDivisionError",
    ),
    "arm that fails": (
        "a trial runs",
        {"study.py": STUDY.replace('lambda: value("toy", 1.0)', "lambda: 1 / 0")},
        "regime 'all': arm 'toy' fails: ZeroDivisionError",
    ),
    "arm that is not run": (
        "a trial runs",
        {"study.py": STUDY.replace('against=("plain",)', 'against=("plane",)')},
        "Test('higher', 'toy') names the arm 'plane', which the trial does not run; it runs plain, toy",
    ),
    "measure that cannot read": (
        "a trial runs",
        {"study.py": STUDY.replace('value(arm, "value")', 'value(arm, "valve")')},
        "cannot be judged: the test of claim higher, arm toy, regime all, seed 0 cannot read its trial: KeyError",
    ),
    "rule that cannot be": (
        "a trial runs",
        {"study.py": STUDY.replace("margin=0.1", 'margin=0.1, compares="magnitude", reported=0.2')},
        "cannot be judged: margin: 0.1 is more than a quarter of the reported 0.2",
    ),
}


@pytest.mark.parametrize(("check", "changes", "says"), LACKS.values(), ids=LACKS)
def test_a_check_says_what_a_method_lacks(plugin, site, check, changes, says):
    folder = plugin(**changes)
    (folder.parent / "sibling").mkdir()
    (folder.parent / "sibling" / "__init__.py").write_text("")
    (folder.parent / "sibling" / "card.toml").write_text(CARD)
    lines = failures("theory/toy", check)
    assert [line for line in lines if says in line], lines
    assert all(len(line.splitlines()) == 1 for line in lines)


def test_what_needs_no_words_of_its_own_is_let_be(plugin):
    code = '''
        from dataclasses import dataclass


        class Base(dict):
            """A base."""

            def double(self, x, *rest, _hidden=1, **more):
                """Twice `x`."""


        class Doubler(Base):
            """Doubles.

            Args:
                by: factor.
            """

            def __init__(self, by=2):
                self.by = by

            def double(self, x, *rest, _hidden=1, **more):
                return 2 * x

            def _private(self, y): ...

            def update(self, other): ...


        @dataclass
        class double:
            """A double."""

            x: int
            """A number."""
        '''
    exports = CARD.replace('["double"]', '["double", "Doubler"]')
    init = '"""Toy."""\nfrom toyplug.toy.doubling import Doubler, double'
    plugin(**{"doubling.py": code, "card.toml": exports, "__init__.py": init})
    assert failures("theory/toy", "docstrings complete") == []


# --- a missing extra ---------------------------------------------------------------------------------------------

LINE = "pip install 'assay[privacy]'"


@pytest.fixture
def plugin_with_extra(plugin):
    """A method whose code needs scikit-learn, as the extra `privacy` brings it."""

    def install(code):
        card = CARD.replace('"theory"', '"privacy"')
        return plugin(**{"card.toml": f'extra = "privacy"\n{card}', "doubling.py": code})

    return install


def test_the_packages_of_an_extra():
    assert testing.extra_packages(catalogue.find("rpwithprior")) == {"scikit-learn": ["sklearn"]}


def test_a_method_without_extra_has_none_to_miss(plugin):
    plugin()
    assert testing.extra_packages(catalogue.find("toy")) == {}


def test_an_import_that_fails_without_the_line_is_found(plugin_with_extra):
    plugin_with_extra("import sklearn\ndef double(x): ...")
    (line,) = failures("privacy/toy", "missing extra is one line")
    assert (
        f"without the extra, double says No module named 'sklearn'; raise an ImportError of one line that has: {LINE}"
        in line
    )


def test_an_import_that_says_the_line_is_right(plugin_with_extra):
    plugin_with_extra(
        "try:\n    import sklearn\nexcept ImportError:\n"
        f'    raise ImportError("double needs scikit-learn: {LINE}") from None\ndef double(x): ...'
    )
    assert failures("privacy/toy", "missing extra is one line") == []


def test_the_blocker_hides_exactly_what_it_should():
    program = testing._blocker({"scikit-learn": ["sklearn"]}) + (
        "import numpy; from assay.catalogue import find, extra_missing; print(extra_missing(find('rpwithprior')))\n"
        "try:\n    import sklearn.linear_model\nexcept ModuleNotFoundError as error:\n    print(error)"
    )
    done = testing._python(program)
    assert done.stdout.splitlines() == ["['scikit-learn>=1.6']", "No module named 'sklearn.linear_model'"] or (
        done.stdout.splitlines() == ["['scikit-learn>=1.6']", "No module named 'sklearn'"]
    )


# --- trials in memory --------------------------------------------------------------------------------------------


def test_a_memory_run_records_as_a_worker_does(tmp_path):
    run = MemoryRun(Settings(), "calm", 3, needs={"no_such_peer": "--no-deps no-such-peer"})
    assert run.arm("good", lambda: {"value": 2, "nan": float("nan"), "cases": Cases(1, 0, 0)})["value"] == 2.0
    assert run.arm("long", lambda: {"curve": Series(tuple(range(2000)), tuple(range(2000)))}) is not None
    assert run.arm("bad", lambda: 1 / 0) is None
    assert run.arm("peer", lambda: {}, needs=("no_such_peer",)) is None
    with pytest.raises(ValueError, match="stands twice"):
        run.arm("good", lambda: {})
    calls = []
    assert run.once("start", lambda: calls.append(1) or [1, 2]) == run.once("start", lambda: calls.append(1)) == [1, 2]
    assert calls == [1]
    run.file("picture.png").write_bytes(b"")
    run.progress(0.5, "half")
    with pytest.raises(ValueError, match="progress: done is"):
        run.progress(1.5)
    assert list(run.prepared.iterdir()) == []
    trial = run.trial
    assert (trial.regime, trial.seed, trial.complete) == ("calm", 3, True)
    assert set(trial.arms) == {"good", "long"}
    assert len(trial["long"]["curve"].x) == 500
    assert trial["good"]["cases"] == Cases(1, 0, 0)
    assert trial["good"]["nan"] != trial["good"]["nan"]
    assert trial.failed == {"bad": "ZeroDivisionError: division by zero"}
    assert trial.missing == {"peer": "needs no_such_peer: pip install --no-deps no-such-peer"}


def test_a_memory_run_races():
    run = MemoryRun(Settings())
    calls = []
    run.race({"one": lambda: calls.append(1), "two": lambda: calls.append(2)})
    assert calls == [1, 2, 1] * 6
    assert set(run.trial.arms) == {"one", "two", "one again"}


REGIMES = STUDY.replace("small = ToySettings()", 'small = ToySettings(regimes=("calm", "rough", "wild"))').replace(
    "margin=0.1", 'margin=0.1, regimes=("rough", "wild")'
)


def test_smoke_tries_the_first_regime_and_those_that_only_a_test_names(plugin):
    plugin(**{"study.py": REGIMES})
    (study,) = catalogue.studies(catalogue.find("toy"))
    assert [(trial.regime, trial.seed) for trial in smoke(study)] == [("calm", 0), ("rough", 0)]
    assert failures("theory/toy", "a trial runs") == []


def test_smoke_takes_tiny_settings_and_prepares(plugin):
    text = STUDY.replace(
        "    def trial(self, run):",
        "    tiny = ToySettings(regimes=('tiny',))\n\n"
        "    def prepare(self, settings, folder, progress):\n"
        "        progress(0.5, 'half')\n        (folder / 'number').write_text(settings.regimes[0])\n\n"
        "    def trial(self, run):\n        assert (run.prepared / 'number').read_text() == run.regime",
    )
    plugin(**{"study.py": text})
    (study,) = catalogue.studies(catalogue.find("toy"))
    (trial,) = smoke(study)
    assert trial.regime == "tiny"
    assert set(trial.arms) == {"plain", "toy"}


def test_the_smallest_way_to_use_it_in_a_plugin(plugin, site, monkeypatch, tmp_path):
    plugin()
    file = tmp_path / "test_mine.py"
    file.write_text(
        "from assay.testing import parametrize_methods\n\n"
        '@parametrize_methods("toy")\ndef test_method(check):\n    check()\n'
    )
    done = testing._python(
        f"import pytest, sys; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', {str(file)!r}]))"
    )
    assert f"{len(NAMES)} passed" in done.stdout, done.stdout
    assert importlib.util.find_spec("toyplug")
