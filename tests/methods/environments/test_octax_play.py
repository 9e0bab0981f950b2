"""Playing: the environment's own rules, the keys, and the terminal, which is left as it was."""

import os
import pty
import select
import signal
import subprocess
import sys
import termios
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.methods.environments.octax import play, published
from assay.methods.environments.octax.game import Game, find_game, list_games, own_games
from assay.methods.environments.octax.machine import MachineFault
from assay.methods.environments.octax.play import Playing

ESC = b"\x1b"
OURS = list(own_games())
# counts in V5 the rounds during which key 5 is down, four instructions each; in V6 all rounds
COUNTER = "6005 7601 E0A1 7501 1202"
# fills the screen's first 8 pixels, waits for a key and ends itself
ENDS = "A20A D001 F10A 00FD 0000 FF00"


@pytest.fixture
def program(tmp_path):
    """A game of a program written in hexadecimal."""

    def make(code, **rules):
        file = tmp_path / "program.ch8"
        file.write_bytes(bytes.fromhex(code))
        return replace(Game(name="program", file=file), **rules)

    return make


# --- the rules of the environment --------------------------------------------------------------------------------


def compared(game, steps, **more):
    """Plays the game with random keys beside the environment, and asserts that both are the same at every step."""
    envs = pytest.importorskip("assay.methods.environments.octax.envs", exc_type=ImportError)
    env = envs.make_chip8(game, seed=7, **more)
    env.reset()
    playing = Playing(game, more.get("quirks"), seed=7)
    actions = np.random.default_rng(1).integers(len(game.keys) + 1, size=steps)
    for action in actions:
        _, _, ended, _, infos = env.step([action])
        playing.step(action)
        mine = playing.state()
        for name in set(mine.dtype.names) - {"display"}:
            assert np.array_equal(mine[name], env.machines[name]), name
        assert (playing.score, playing.over) == (infos["score"][0], ended[0])
        if ended[0]:
            playing.restart()
            env.step([0])
    assert env.rules.timers == playing.rules.timers
    return playing


@pytest.mark.parametrize("name", OURS)
def test_it_is_the_environment_step_by_step(name):
    playing = compared(find_game(name), 150)
    assert playing.frames > 0


@pytest.mark.skipif(not published.installed(), reason="octax is not installed")
@pytest.mark.parametrize("name", ["deep", "brix", "ufo", "vertical_brix"])
@pytest.mark.parametrize("quirks", [None, "vip"])
def test_it_is_the_environment_for_published_games(name, quirks):
    compared(published.published(name), 60, **({"quirks": quirks} if quirks else {}))


def test_a_frame_has_11_instructions_and_the_timers_go_at_60_hertz(program):
    playing = Playing(program("60FF F015 7101 1204"))
    for frame in range(1, 8):
        playing.frame(0)
        assert playing.machine.delay == 255 - frame
    assert playing.machine.V[1] == (7 * 11 - 2 + 1) // 2


def test_the_end_is_looked_at_after_a_step_not_before(program):
    playing = Playing(program("6E01 1202", done="V14 == 0", score="V14 * 10"))
    assert (playing.over, playing.score) == (False, 0)  # V14 is 0 only because nothing has run yet
    playing.step(0)
    assert (playing.over, playing.score) == (False, 10)


def test_restart_is_a_new_game_with_other_random_numbers(program):
    playing = Playing(program("C0FF 1202"), seed=3)
    drawn = []
    for _ in range(3):
        assert playing.machine.V[0] == 0
        playing.step(0)
        drawn.append(playing.machine.V[0])
        playing.restart()
    assert len(set(drawn)) == 3
    again = Playing(playing.game, seed=3)
    again.step(0)
    assert again.machine.V[0] == drawn[0]


def test_a_program_that_breaks(program):
    with pytest.raises(MachineFault, match="pc 0x200: unknown opcode FFFF"):
        Playing(program("FFFF")).step(0)
    with pytest.raises(MachineFault, match="unknown opcode FFFF"):
        Playing(program("FFFF", startup=1))


def test_a_program_that_ends_itself_is_over_not_broken(program):
    playing = Playing(program("00FD"))
    playing.step(0)
    assert playing.over


def test_high_resolution_is_there_where_the_quirks_have_it(program):
    playing = Playing(program("00FF 1202"))
    playing.step(0)
    assert playing.picture.shape == (64, 128)
    with pytest.raises(MachineFault, match="SUPER-CHIP"):
        Playing(program("00FF 1202"), quirks="vip").step(0)


@pytest.mark.parametrize("quirks", ["", "chip8"])
def test_unknown_quirks(program, quirks):
    with pytest.raises(ValueError, match="is none of vip, schip"):
        Playing(program("1200"), quirks=quirks)


# --- what is shown -----------------------------------------------------------------------------------------------


def screens(playing, *rows):
    playing._screens = [np.array([row], np.uint8) for row in rows]
    return playing.steady[0].tolist()


def test_a_sprite_that_is_erased_to_be_drawn_elsewhere_does_not_blink(program):
    playing = Playing(program("1200"))
    assert screens(playing, [1, 0, 0], [0, 0, 0], [0, 1, 0]) == [1, 0, 0]
    assert screens(playing, [1, 0, 1], [0, 0, 1], [0, 1, 1]) == [1, 0, 1]
    assert screens(playing, [1, 0, 0], [0, 0, 0], [0, 0, 0]) == [0, 0, 0], "what is gone is gone"
    assert screens(playing, [1, 0, 0], [0, 1, 0], [0, 1, 0]) == [0, 1, 0], "no shadow of what has moved"
    playing.over = True
    assert screens(playing, [1, 0, 0], [0, 0, 0], [0, 1, 0]) == [0, 1, 0]


def test_recorded_pictures(program):
    game = program("A050 D005 1204")
    pictures = play.recorded(Playing(game), "none", 3)
    assert [picture.sum() for picture in pictures] == [0, 14, 14, 14]
    assert all(picture.shape == (32, 64) for picture in pictures)


def test_recorded_pictures_have_one_size(program):
    code = "7001 3020 1200 00FF A050 D115 120C"
    pictures = play.recorded(Playing(program(code)), "none", 6)
    assert {picture.shape for picture in pictures} == {(64, 128)}
    assert pictures[-1].sum() == 14


def test_a_recording_ends_with_the_game(program):
    game = program(ENDS, keys=(1,))
    assert len(play.recorded(Playing(game), "none", 20)) == 21
    pictures = play.recorded(Playing(game), "random", 20, seed=1)
    assert 1 < len(pictures) < 20
    assert len(play.recorded(Playing(game), "none", 0)) == 1


def test_the_random_player_takes_every_action_and_only_depends_on_its_seed(program):
    game = program("1200", keys=(4, 6))
    choose = [play._chooser(game, "random", seed) for seed in (5, 5, 6)]
    drawn = [[one(None) for _ in range(60)] for one in choose]
    assert drawn[0] == drawn[1] != drawn[2]
    assert set(drawn[0]) == {0, 1, 2}


def test_the_scripted_player_plays_better_than_no_keys():
    scores = {}
    for player in ("scripted", "none"):
        playing = Playing(find_game("catcher"), seed=1)
        play.recorded(playing, player, 300)
        scores[player] = playing.score
    assert scores["scripted"] > scores["none"] + 3


def test_mistaken_players(program):
    with pytest.raises(ValueError, match="'best' is none of random, scripted, none"):
        play.recorded(Playing(program("1200")), "best", 1)
    with pytest.raises(ValueError, match="has no scripted player"):
        play.recorded(Playing(program("1200")), "scripted", 1)


# --- keys --------------------------------------------------------------------------------------------------------


def test_the_keypad_lies_on_the_keyboard():
    rows = ["1234", "qwer", "asdf", "zxcv"]
    assert [[play.KEYPAD[c] for c in row] for row in rows] == [
        [1, 2, 3, 0xC],
        [4, 5, 6, 0xD],
        [7, 8, 9, 0xE],
        [0xA, 0, 0xB, 0xF],
    ]


@pytest.mark.parametrize(
    ("keys", "names", "expected"),
    [
        ((7, 9), ("left", "right"), {"left": 7, "right": 9}),
        ((4, 6, 1), ("go left", "go right", "Fire"), {"left": 4, "right": 6, "space": 1}),
        ((5, 8), ("jump", "duck"), {"up": 5, "down": 8, "space": 5}),
        ((5,), (), {"space": 5}),
        ((4, 6), (), {"left": 4, "right": 6}),
        ((2, 8, 4, 6), (), {"up": 2, "down": 8, "left": 4, "right": 6}),
        ((5, 7, 8, 9, 6), (), {"up": 5, "left": 7, "down": 8, "right": 9, "space": 6}),
        ((3, 6, 7, 8), (), {"up": 3, "down": 6, "left": 7, "right": 8}),
        ((1, 4), (), {"up": 1, "down": 4}),
        ((0, 15), (), {}),
        (tuple(range(16)), (), {"up": 2, "down": 8, "left": 4, "right": 6, "space": 5}),
    ],
)
def test_arrow_keys_and_space(program, keys, names, expected):
    assert play.controls(program("1200", keys=keys, key_names=names)) == expected


def test_every_game_of_ours_is_played_with_arrows_and_space():
    for game in own_games().values():
        assert set(play.controls(game).values()) == set(game.keys), game.name


def test_all_keys_fit_below_the_screen():
    for game in list_games():
        assert len(play.keys_line(game)) <= 64
    assert play.keys_line(find_game("brick")) == "←/a left   →/d right"


@pytest.mark.parametrize(
    ("received", "found", "rest"),
    [
        (b"a1 Q", ["a", "1", "space", "q"], b""),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"], b""),
        (b"\x1bOA\x1bOD", ["up", "left"], b""),
        (b"\x1b[1;2A", ["up"], b""),
        (b"\x1b[3~\x1b[15~x", ["x"], b""),
        (b"pP\x7f\x08", ["pause", "pause", "backspace", "backspace"], b""),
        (b"\x1b", [], b"\x1b"),
        (b"w\x1b[", ["w"], b"\x1b["),
        (b"\x1b[1;", [], b"\x1b[1;"),
        (b"\x1b\x1b[A", ["escape", "up"], b""),
        (b"\x1bq", ["escape", "q"], b""),
        (b"", [], b""),
    ],
)
def test_presses(received, found, rest):
    assert play.presses(received) == (found, rest)


def test_an_escape_character_that_nothing_follows_is_the_key():
    assert play.presses(ESC, late=True) == (["escape"], b"")
    assert play.presses(b"\x1b[A", late=True) == (["up"], b"")


@given(st.binary(max_size=40), st.integers(0, 40))
def test_presses_take_any_bytes_in_pieces(received, cut):
    whole = play.presses(received)
    first, rest = play.presses(received[:cut])
    second, rest = play.presses(rest + received[cut:])
    assert (first + second, rest) == whole
    assert play.presses(rest, late=True)[1] == b""


# --- the loop, with a clock of its own ---------------------------------------------------------------------------


class Desk:
    """A terminal on which keys are pressed at set times, and a clock that runs as the game waits."""

    def __init__(self, presses, rows=24, columns=80):
        self.now, self.presses = 100.0, [(100.0 + at, key) for at, key in presses]
        self.rows, self.columns, self.shown = rows, columns, []

    def monotonic(self):
        return self.now

    def size(self):
        return self.rows, self.columns

    def keys(self, until):
        self.now = max(self.now, until)
        found = [key for at, key in self.presses if at <= self.now]
        self.presses = self.presses[len(found) :]
        return found

    def show(self, lines):
        self.shown.append((self.now - 100, list(lines)))

    def play(self, playing, monkeypatch):
        monkeypatch.setattr(play, "time", SimpleNamespace(monotonic=self.monotonic))
        play._loop(playing, self)
        return self


def test_60_frames_a_second(program, monkeypatch):
    playing = Playing(program("1200"))
    Desk([(2.0, "escape")]).play(playing, monkeypatch)
    assert playing.frames == pytest.approx(120, abs=1)


def test_a_key_is_held_for_a_short_time_and_longer_while_it_repeats(program, monkeypatch):
    def held(*times):
        playing = Playing(program(COUNTER))
        Desk([*((at, "w") for at in times), (1.0, "escape")]).play(playing, monkeypatch)
        machine = playing.machine
        return machine.V[5] * 4 / 11 / 60  # seconds

    assert held() == 0
    assert held(0.2) == pytest.approx(0.15, abs=0.02)
    assert held(0.2, 0.25, 0.3, 0.35) == pytest.approx(0.3, abs=0.03)
    assert held(0.1, 0.5) == pytest.approx(0.3, abs=0.04)


def test_arrows_press_the_keys_of_the_game_and_another_key_releases_them(program, monkeypatch):
    game = program(COUNTER, keys=(5, 8), key_names=("up", "down"))
    playing = Playing(game)
    Desk([(0.2, "up"), (0.25, "down"), (1.0, "escape")]).play(playing, monkeypatch)
    assert playing.machine.V[5] * 4 / 11 / 60 == pytest.approx(0.05, abs=0.02)


def test_pause_stops_the_game_and_says_so(program, monkeypatch):
    playing = Playing(program("1200"))
    desk = Desk([(0.5, "pause"), (1.5, "pause"), (2.0, "escape")]).play(playing, monkeypatch)
    assert playing.frames == pytest.approx(60, abs=2)
    assert {"paused" in lines[16] for at, lines in desk.shown if 0.55 < at < 1.45} == {True}
    assert not any("paused" in lines[16] for at, lines in desk.shown if at < 0.45 or at > 1.55)


def test_backspace_restarts_also_after_the_end(program, monkeypatch):
    game = program("7501 1200", score="V5", done="V5 >= 88")
    playing = Playing(game)
    desk = Desk([(1.0, "backspace"), (1.1, "escape")]).play(playing, monkeypatch)
    lines = {round(at, 2): lines[16] for at, lines in desk.shown}
    assert lines[0.9] == "program   score 88   game over: backspace plays again"
    assert "game over" not in lines[1.05]
    assert playing.frames < 10


def test_the_game_waits_while_the_window_is_too_small(program, monkeypatch):
    for rows, columns in ((18, 80), (24, 63)):
        playing = Playing(program("1200"))
        desk = Desk([(0.5, "escape")], rows, columns).play(playing, monkeypatch)
        assert playing.frames == 0
        assert desk.shown[-1][1] == [f"Too small: 64x19 is needed, this is {columns}x{rows}"]
    playing = Playing(program("1200"))
    Desk([(0.5, "escape")], 19, 64).play(playing, monkeypatch)
    assert playing.frames > 0


def test_high_resolution_needs_35_rows(program, monkeypatch):
    code = "00FF A050 D005 1206"
    desk = Desk([(0.5, "escape")], 24).play(Playing(program(code)), monkeypatch)
    assert desk.shown[-1][1] == ["Too small: 64x35 is needed, this is 80x24"]
    desk = Desk([(0.5, "escape")], 35).play(Playing(program(code)), monkeypatch)
    lines = desk.shown[-1][1]
    assert [line.rstrip() for line in lines[:4]] == ["▛▜", "▌▐", "▀▀", ""]
    assert len(lines) == 35


def test_after_a_long_wait_time_is_not_caught_up_with(program, monkeypatch):
    playing = Playing(program("1200"))
    desk = Desk([(60.0, "escape")])
    waited = desk.keys

    def suspended(until):
        if 0.5 < desk.now - 100 < 1:
            desk.now += 59
        return waited(until)

    desk.keys = suspended
    desk.play(playing, monkeypatch)
    assert playing.frames < 70


def test_a_title_cannot_command_the_terminal(program):
    lines = play._lines(Playing(program("1200", title="\x1b[2Jevil\n" + "x" * 90)), False)
    assert all(line.isprintable() and len(line) <= 64 for line in lines)


# --- the terminal ------------------------------------------------------------------------------------------------


def arrived(outer):
    """What has been written to a pseudo-terminal: its kernel hands it over piece by piece."""
    pieces = []
    while select.select([outer], [], [], 0.05)[0]:
        pieces.append(os.read(outer, 65536))
    return b"".join(pieces).decode()


@pytest.fixture
def console(monkeypatch):
    """A pseudo-terminal that the game takes for stdin and stdout; its other end and its settings."""
    outer, inner = pty.openpty()
    termios.tcsetwinsize(inner, (24, 80))
    with os.fdopen(inner, "r+b", buffering=0) as file:
        fake = SimpleNamespace(isatty=lambda: True, fileno=file.fileno, encoding="utf-8")
        monkeypatch.setattr(play, "sys", SimpleNamespace(stdin=fake, stdout=fake))
        yield SimpleNamespace(
            fake=fake,
            outer=outer,
            settings=lambda: termios.tcgetattr(inner),
            written=lambda: arrived(outer),
        )
    os.close(outer)


@pytest.mark.parametrize("error", [None, ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_the_terminal_is_put_back_whatever_happens(console, error):
    before, handlers = console.settings(), [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]

    def use():
        with play.terminal():
            assert console.settings() != before
            assert not console.settings()[3] & (termios.ECHO | termios.ICANON)
            assert console.settings()[6][termios.VSUSP] == console.settings()[6][termios.VQUIT] == b"\0"
            if error:
                raise error

    if error:
        with pytest.raises(error):
            use()
    else:
        use()
    assert console.settings() == before
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == handlers
    written = console.written()
    assert written.startswith("\x1b[?1049h\x1b[?25l")
    assert written.endswith("\x1b[?25h\x1b[?1049l")


def test_keys_still_held_do_not_reach_the_shell(console):
    with play.terminal():
        os.write(console.outer, b"rm -r x\n")
        assert select.select([console.fake.fileno()], [], [], 10)[0]
    assert not select.select([console.fake.fileno()], [], [], 0.1)[0]


@pytest.mark.parametrize(
    ("number", "error"), [("SIGINT", KeyboardInterrupt), ("SIGTERM", SystemExit), ("SIGHUP", SystemExit)]
)
def test_signals_end_the_game(console, number, error):
    before = console.settings()
    with pytest.raises(error) as caught, play.terminal():
        signal.raise_signal(getattr(signal, number))
    assert console.settings() == before
    if error is SystemExit:
        assert caught.value.code == 128 + getattr(signal, number)


def test_only_changed_lines_are_written(console):
    with play.terminal() as shown:
        console.written()
        shown.show(["one", "two"])
        assert console.written() == "\x1b[2J\x1b[1;1H\x1b[2Kone\x1b[2;1H\x1b[2Ktwo"
        shown.show(["one", "2", "three"])
        assert console.written() == "\x1b[2;1H\x1b[2K2\x1b[3;1H\x1b[2Kthree"
        shown.show(["one", "2", "three"])
        shown.show(["x" * 100])
        assert console.written() == "\x1b[1;1H\x1b[2K" + "x" * 80 + "\x1b[2;1H\x1b[2K\x1b[3;1H\x1b[2K"
        termios.tcsetwinsize(console.fake.fileno(), (30, 90))
        shown.show(["x" * 100])
        assert console.written() == "\x1b[2J\x1b[1;1H\x1b[2K" + "x" * 90
        termios.tcsetwinsize(console.fake.fileno(), (0, 0))
        assert shown.size() == (24, 80)


def test_keys_are_read_and_an_arrow_may_come_in_two_pieces(console, monkeypatch):
    def typed(data):
        os.write(console.outer, data)
        assert select.select([console.fake.fileno()], [], [], 10)[0]
        return shown.keys(0.0)

    with play.terminal() as shown:
        monkeypatch.setattr(play, "time", SimpleNamespace(monotonic=lambda: 0.0))
        assert typed(b"a\x1b") == ["a"]
        assert typed(b"[C") == ["right"]
        assert typed(ESC) == []
        monkeypatch.setattr(play, "time", SimpleNamespace(monotonic=lambda: 0.1))
        assert shown.keys(0.0) == ["escape"]
        assert shown.keys(0.0) == []


def test_no_terminal(console, monkeypatch):
    console.fake.isatty = lambda: False
    with pytest.raises(play.NoTerminal, match="stdin and stdout are no terminal"), play.terminal():
        pass
    console.fake.isatty = lambda: True
    console.fake.encoding = "ascii"
    with pytest.raises(play.NoTerminal, match="encoding, ascii, has no block characters"), play.terminal():
        pass


def test_playing_needs_no_package_of_the_extra():
    program = """
import sys
for name in ("numba", "gymnasium", "PIL", "jax", "octax"):
    sys.modules[name] = None
from assay.methods.environments.octax import play
from assay.methods.environments.octax.game import find_game
playing = play.Playing(find_game("brick"), seed=1)
print(len(play.recorded(playing, "scripted", 20)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("21\n", "")
