"""The published games: rules that give the package's own values, files that are the package's own."""

import importlib
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import numpy as np
import pytest

from assay.methods.environments.octax import published
from assay.methods.environments.octax.expressions import Expression
from assay.methods.environments.octax.game import find_game, list_games
from assay.methods.environments.octax.machine import find_quirks, machine_dtype

ROMS_HERE = pytest.mark.skipif(not published.installed(), reason="octax is not installed")
MODULES = 22
NAMES = sorted(published._RULES)


def package():
    """The package and JAX, or a skip: it can be imported only with OpenCV."""
    pytest.importorskip("octax", exc_type=ImportError)
    return importlib.import_module("octax.environments"), pytest.importorskip("jax")


def module_of(name):
    environments, _ = package()
    return importlib.import_module(f"{environments.__name__}.{re.sub(r'[0-9]+$', '', name)}")


@pytest.fixture
def without_package(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(published, "distribution", missing)
    published._files.cache_clear()
    yield
    published._files.cache_clear()


@ROMS_HERE
def test_all_37_games_of_22_modules():
    names = published.published_games()
    assert sorted(names) == NAMES
    assert len(names) == 37
    assert len({name.rstrip("0123456789") for name in names}) == MODULES
    assert names.index("space_flight10") == names.index("space_flight9") + 1


@ROMS_HERE
def test_no_game_of_the_package_is_missed():
    """Every module of the package, and every program whose name is a module and a level."""
    environments, _ = package()
    folder = published._files()["Tank.ch8"].parent
    files = {file.stem: file.read_text() for file in folder.parent.joinpath("octax/environments").glob("*.py")}
    modules = files.keys() - {"__init__"}
    singles = {name for name in modules if re.search(r"^rom_file\b", files[name], re.M)}  # the package sets the others
    levels = {file.stem for file in folder.glob("*.ch8") if re.sub(r"\d+$", "", file.stem) in modules - singles}
    levels = {name for name in levels if re.match(r"^(.*?)(\d+)$", name)}
    assert singles | levels == set(NAMES)
    assert environments.get_rom_path("cavern4a.ch8")  # there, but no name leads to it


@ROMS_HERE
@pytest.mark.parametrize("name", NAMES)
def test_rules_are_the_package_s(name, monkeypatch):
    environments, _ = package()
    module, game = module_of(name), published.published(name)
    rom = f"{name}.ch8" if name[-1].isdigit() else module.rom_file
    with open(environments.get_rom_path(rom), "rb") as file:
        assert game.rom == file.read()
    assert list(game.keys) == list(module.action_set)
    assert game.timers == ("off" if getattr(module, "disable_delay", False) else "octax")
    assert module.metadata["title"].startswith(game.title.split(",")[0])
    assert (game.name, game.source) == (name, "octax")
    assert find_quirks(game.quirks).octax
    if not hasattr(module, "custom_startup"):
        assert (game.startup, game.startup_key) == (getattr(module, "startup_instructions", 0), None)
        return
    ran = []

    def record(state, count):
        ran.append((count, np.flatnonzero(np.asarray(state.keypad)).tolist()))
        return state

    monkeypatch.setattr(module, "run_n_instruction", record)
    after = module.custom_startup(importlib.import_module("octax").create_state())
    assert ran == [(game.startup, [game.startup_key])]
    assert not np.asarray(after.keypad).any()


def random_states(count, rng):
    """Registers of any value, half of them values that rules ask for."""
    telling = np.array([0, 1, 2, 4, 6, 8, 9, 19, 61, 62, 63, 89, 90, 99, 127, 128, 129, 254, 255])
    any_value, chosen = rng.integers(0, 256, (count, 16)), telling[rng.integers(0, len(telling), (count, 16))]
    machines = np.zeros(count, machine_dtype())
    machines["V"] = np.where(rng.random((count, 16)) < 0.5, any_value, chosen)
    machines["V"][:3] = np.array([0, 128, 255])[:, None]
    machines["memory"] = rng.integers(0, 256, (count, 4096))
    for timer in ("delay", "sound"):
        machines[timer] = rng.integers(0, 256, count)
    return machines


@ROMS_HERE
@pytest.mark.parametrize("name", NAMES)
def test_score_and_end_are_the_package_s(name):
    _, jax = package()
    module, game = module_of(name), published.published(name)
    machines = random_states(2000, np.random.default_rng(7))

    def hooks(V, memory):  # as the package's step takes them
        state = SimpleNamespace(V=V, memory=memory)
        return module.score_fn(state) * 1.0, jax.numpy.asarray(module.terminated_fn(state))

    scores, ends = jax.jit(jax.vmap(hooks))(jax.numpy.asarray(machines["V"]), jax.numpy.asarray(machines["memory"]))
    assert scores.dtype == np.float32
    assert ends.dtype == bool
    ours = Expression(game.score).evaluate(machines)
    np.testing.assert_array_equal(ours.astype(np.float32), np.asarray(scores))
    np.testing.assert_array_equal(Expression(game.done).evaluate(machines), np.asarray(ends).astype(int))
    assert len(set(ours.tolist())) > 1
    assert name == "shooting_stars" or np.asarray(ends).any()


@ROMS_HERE
def test_airplane_s_score_wraps_as_the_package_s():
    machines = np.zeros(3, machine_dtype())
    machines["V"][:, 11], machines["V"][:, 12] = [20, 1, 0], [0, 0, 0]
    assert Expression(published.published("airplane").score).evaluate(machines).tolist() == [236, 255, 0]


@ROMS_HERE
def test_listed_and_found_by_name():
    assert [game.name for game in list_games("octax")] == published.published_games()
    assert published.published("flight-runner") == published.published("flight_runner")
    assert find_game("vertical_brix") == published.published("vertical_brix")
    for name in NAMES:
        assert 0 < len(published.published(name).rom) <= 3584


@ROMS_HERE
@pytest.mark.parametrize(("name", "advice"), [("brics", "brix"), ("space_flight11", "space_flight1"), ("cavern", "")])
def test_unknown_names(name, advice):
    with pytest.raises(ValueError, match=rf"no game '{name}'; did you mean .*{advice}") as error:
        published.published(name)
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match="there are airplane, blinky"):
        published.published("zzzz")


@pytest.mark.usefixtures("without_package")
def test_one_line_without_the_package():
    assert not published.installed()
    assert list_games("octax") == []
    for ask in (published.published_games, lambda: published.published("brix")):
        with pytest.raises(ImportError, match=r"^[^\n]*: pip install octax$"):
            ask()


def test_a_package_without_its_programs_counts_as_none(monkeypatch):
    monkeypatch.setattr(published, "distribution", lambda name: SimpleNamespace(files=None))
    published._files.cache_clear()
    assert not published.installed()
    published._files.cache_clear()


@ROMS_HERE
def test_the_package_is_never_imported():
    code = (
        "import sys; from assay.methods.environments.octax.published import *; "
        "[published(name).rom for name in published_games()]; "
        "print([m for m in ('octax', 'jax', 'cv2', 'numba') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
