"""`assay play`: in a terminal of our own, and without one."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from contextlib import contextmanager

import numpy as np
import pytest

from assay.methods.environments.octax import game as games
from assay.methods.environments.octax import published

PATIENCE = 60
"""Seconds, for a machine with much else to do."""
LEFT, ESC, CTRL_C, BACKSPACE = b"\x1b[D", b"\x1b", b"\x03", b"\x7f"


class Window:
    """A terminal window in which a command runs: what it shows now, as far as the command's own sequences go."""

    def __init__(self, *argv, rows=24, columns=80):
        self.outer, self.inner = pty.openpty()
        self.resize(rows, columns)
        self.settings = termios.tcgetattr(self.inner)
        self.lines, self.row, self.other, self.cursor, self.after = [""] * 60, 0, False, True, ""
        self.pending = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "assay.cli", "play", *map(str, argv)],
            stdin=self.inner,
            stdout=self.inner,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def resize(self, rows, columns):
        termios.tcsetwinsize(self.inner, (rows, columns))

    def press(self, keys):
        os.write(self.outer, keys)

    def text(self):
        return "\n".join(line.rstrip() for line in self.lines).rstrip()

    def read(self, seconds=0.02):
        while select.select([self.outer], [], [], seconds)[0]:
            self.pending += os.read(self.outer, 65536).decode(errors="replace")
            self.pending = re.sub(r"\x1b\[([0-9;?]*)([A-Za-z])|([^\x1b]+)", self._take, self.pending)

    def _take(self, found):
        arguments, command, text = found.groups()
        if text and self.other:
            self.lines[self.row] += text
        elif text:
            self.after += text
        elif command == "H":
            self.row = int(arguments.split(";")[0]) - 1
        elif (command, arguments) == ("K", "2"):
            self.lines[self.row] = ""
        elif (command, arguments) == ("J", "2"):
            self.lines = [""] * 60
        elif command in "hl" and arguments == "?1049":
            self.other = command == "h"
        elif command in "hl" and arguments == "?25":
            self.cursor = command == "h"
        else:
            assert (command, arguments) == ("m", "0")
        return ""

    def wait(self, condition, what=""):
        """Wait until the window shows a text, or a condition on it holds."""
        holds = condition if callable(condition) else lambda: condition in self.text()
        until = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < until, f"{what or condition} never came; the window shows\n{self.text()}"
            assert self.process.poll() is None or holds(), self.process.stderr.read().decode()
            self.read()

    def end(self):
        """The exit code, what was printed after the game, and stderr; the terminal must be as it was."""
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < until, "it does not end"
            self.read()
        self.read(0.1)
        assert termios.tcgetattr(self.inner) == self.settings
        assert self.cursor
        assert not self.other
        return self.process.returncode, self.after.replace("\r\n", "\n"), self.process.stderr.read().decode()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        os.close(self.inner)
        os.close(self.outer)


@contextmanager
def window(*argv, **size):
    opened = Window(*argv, **size)
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def rom(tmp_path):
    def write(code, name="program.ch8"):
        file = tmp_path / name
        file.write_bytes(bytes.fromhex(code))
        return file

    return write


# --- in a terminal -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("keys", "code"), [(ESC, 0), (CTRL_C, 130)])
def test_a_game_is_played_and_quit(keys, code):
    with window("brick", "--seed", 1) as shown:
        shown.wait("Brick   score 0")
        assert "←/a left   →/d right\np pause   backspace restart   Esc quit" in shown.text()
        shown.wait("▀▀▀ ▀▀▀ ▀▀▀")  # the wall
        assert shown.other
        assert not shown.cursor
        shown.press(keys)
        assert shown.end() == (code, "brick: score 0\n", "")


def test_no_other_key_of_the_terminal_stops_the_game():
    with window("brick", "--seed", 1) as shown:
        shown.wait("score 0")
        shown.press(b"\x1a\x1c\x13")  # Ctrl-Z, Ctrl-\\, Ctrl-S
        shown.wait("game over")
        shown.press(ESC)
        assert shown.end()[0] == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_game_and_the_terminal_is_put_back(number, code):
    with window("brick") as shown:
        shown.wait("score 0")
        os.kill(shown.process.pid, number)
        assert shown.end() == (code, "", "")


def test_keys_move_the_bat():
    with window("brick", "--seed", 1) as shown:
        shown.wait(lambda: shown.lines[15].startswith(28 * " " + 8 * "▀"), "the bat in the middle")
        until = time.monotonic() + PATIENCE
        while not shown.lines[15].lstrip().startswith(8 * "▀") or shown.lines[15].startswith(20 * " "):
            assert time.monotonic() < until, shown.text()
            shown.press(LEFT)
            shown.read()
        shown.press(ESC)
        assert shown.end()[0] == 0


def test_the_digit_of_a_known_program(rom):
    with window(rom("6A02 FA29 D005 1206")) as shown:
        shown.wait("program\n1234 qwer asdf zxcv")
        shown.wait(lambda: shown.lines[0].strip() != "", "the digit")
        assert [line.rstrip() for line in shown.lines[:4]] == ["▀▀▀█", "█▀▀▀", "▀▀▀▀", ""]
        shown.press(b"\x1b")
        assert shown.end() == (0, "program\n", "")


def test_pause_and_restart():
    with window("snake", "--seed", 1) as shown:
        shown.wait("score 0")
        shown.press(b"p")
        shown.wait("paused")
        still = shown.text()
        shown.read(0.3)
        assert shown.text() == still
        shown.press(b"p")
        shown.wait(lambda: "paused" not in shown.text(), "the game goes on")
        shown.wait("game over: backspace plays again")
        shown.press(BACKSPACE)
        shown.wait(lambda: "game over" not in shown.text(), "another game")
        shown.press(ESC)
        assert shown.end()[0] == 0


def test_a_small_window_says_so_and_the_game_goes_on_in_a_larger_one():
    with window("brick", rows=18) as shown:
        shown.wait("Too small: 64x19 is needed, this is 80x18")
        shown.resize(19, 64)
        shown.wait("Brick   score 0")
        assert "Too small" not in shown.text()
        shown.press(ESC)
        assert shown.end()[0] == 0


def test_high_resolution(rom):
    with window(rom("00FF A050 D005 1206"), rows=24) as shown:
        shown.wait("Too small: 64x35 is needed, this is 80x24")
        shown.resize(35, 64)
        shown.wait("▛▜\n▌▐\n▀▀")
        assert shown.lines[32] == "program"
        shown.press(ESC)
        assert shown.end()[0] == 0


def test_a_program_that_breaks_ends_the_game(rom):
    with window(rom("6005 F015 F007 3000 1204 FFFF")) as shown:
        code, out, err = shown.end()
    assert (code, out) == (2, "")
    assert re.fullmatch(
        r"assay: .*program\.ch8: the program broke: environment 0, pc 0x20A: unknown opcode FFFF\n", err
    )


# --- without one -------------------------------------------------------------------------------------------------


def test_it_needs_a_terminal_or_a_file(assay):
    code, out, err = assay("play", "brick")
    assert (code, out) == (2, "")
    assert err == "assay: play: stdin and stdout are no terminal; use --record FILE.gif\n"


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ([], "play: name a game, or give the path of a program; `assay play --list` lists the games"),
        (["bric"], "no game 'bric'; did you mean brick"),
        (["zzzzz"], "no game 'zzzzz'; there are brick, "),
        ([""], "no game ''"),
        (["missing.ch8"], "missing.ch8: there is no such file"),
        (["brick", "--quirks", "chip9"], "quirks: 'chip9' is none of vip, schip, xochip, octax"),
        (["brick", "--record", "x.mp4"], "--record x.mp4: name a file that ends in .gif or .png"),
        (["brick", "--record", "missing/x.gif"], "missing/x.gif: No such file or directory"),
        (["brick", "--steps", "3"], "--steps, --player and --scale go with --record FILE.gif"),
        (["brick", "--json"], "--json goes with --list or with --record FILE.gif"),
        (["brick", "--record", "x.gif", "--player", "best"], "--player best: it is none of random, scripted, none"),
        (["brick", "--record", "x.gif", "--scale", "0"], "--scale"),
        (["brick", "--record", "x.gif", "--steps", "-1"], "--steps"),
        (["brick", "--seed", "-1"], "--seed"),
    ],
)
def test_mistakes_are_one_line(assay, argv, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = assay("play", *argv)
    assert (code, out) == (2, "")
    assert err.startswith("assay: ")
    assert says in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.ch8", b"", "a.ch8: it is empty"),
        ("a.ch8", bytes(3585), "a.ch8: 3585 bytes; a program has at most 3584"),
        ("a.ch8", b"\xff\xff", "the program broke: environment 0, pc 0x200: unknown opcode FFFF"),
        ("a.ch8", b"\x00\xee", "00EE returns, but nothing was called"),
        ("a.asm", b"\xff\xff", "this is no text, so no assembly"),
        ("a.asm", b"    JMP 3\n", "a.asm:1:5"),
        ("a.asm", b"    JMP 3\n    JMP 4\n    JMP 5\n", "(and 2 more mistakes)"),
    ],
)
def test_a_bad_program_is_one_line_and_leaves_no_file(assay, tmp_path, name, content, says):
    file = tmp_path / name
    file.write_bytes(content)
    code, out, err = assay("play", file, "--record", tmp_path / "x.gif")
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "x.gif").exists()


def test_a_scripted_player_is_not_there_for_every_game(assay, rom, tmp_path):
    code, _, err = assay("play", rom("1200"), "--record", tmp_path / "x.gif", "--player", "scripted")
    assert code == 2
    assert err == "assay: --player scripted: program has no scripted player; take random or none\n"


def test_without_pillow_it_says_what_to_install_before_the_game(assay, rom, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    code, out, err = assay("play", rom("FFFF"), "--record", tmp_path / "x.gif")
    assert (code, out) == (2, "")
    assert err == "assay: assay play needs PIL: pip install 'assay[environments]'\n"


def test_a_recording(assay, tmp_path):
    image = pytest.importorskip("PIL.Image")
    file = tmp_path / "gunner.gif"
    told = assay("play", "gunner", "--record", file, "--steps", 40, "--player", "scripted", "--seed", 3, "--scale", 2)
    assert told[0] == 0
    assert re.fullmatch(
        rf"gunner: score \d+, after 40 steps with the scripted player, seed 3: {re.escape(str(file))}\n", told[1]
    )
    with image.open(file) as read:
        assert read.size == (128, 64)
        assert 10 < read.n_frames <= 41
    before = file.read_bytes()
    assert (
        assay("play", "gunner", "--record", file, "--steps", 40, "--player", "scripted", "--seed", 3, "--scale", 2)
        == told
    )
    assert file.read_bytes() == before


def test_a_recorded_picture_shows_the_end(assay, rom, tmp_path):
    image = pytest.importorskip("PIL.Image")
    file = tmp_path / "end.PNG"
    code, out, _ = assay("play", rom("A050 D005 1204"), "--record", file, "--player", "none", "--steps", 2)
    assert (code, out.split(",")[0]) == (0, "program")
    lit = np.asarray(image.open(file).convert("L")) > 128
    assert lit.shape == (128, 256)
    digit = ["####", "#..#", "#..#", "#..#", "####"]
    assert ["".join(".#"[c] for c in row[::4][:4]) for row in lit[:20:4].astype(int)] == digit
    assert lit.sum() == 14 * 16


def test_a_recording_as_json(assay, tmp_path):
    pytest.importorskip("PIL")
    file = tmp_path / "x.png"
    code, out, err = assay("play", "catcher", "--record", file, "--steps", 5, "--json")
    told = json.loads(out)
    assert (code, err) == (0, "")
    seed = told.pop("seed")
    assert told == {
        "game": "catcher",
        "score": 0,
        "steps": 5,
        "over": False,
        "player": "random",
        "file": str(file),
    }
    again = json.loads(assay("play", "catcher", "--record", file, "--steps", 5, "--json")[1])
    assert again["seed"] != seed, "a fresh one each time"


# --- the list ----------------------------------------------------------------------------------------------------


def test_the_list(assay):
    code, out, err = assay("play", "--list")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    (line,) = [line for line in out.splitlines() if line.startswith("brick ")]
    assert line.split() == ["brick", "Brick", "brick", "left", "right", "assay"]
    names = [line.split()[0] for line in out.splitlines()[1:]]
    assert sorted(names) == sorted({game.name for game in games.list_games()}), "every game once, by a name of its own"


def test_the_list_without_the_package_octax(assay, monkeypatch):
    monkeypatch.setattr(published, "installed", lambda: False)
    _, out, _ = assay("play", "--list")
    assert "brix" not in out
    assert out.splitlines()[-1] == "the published games are read from the package octax: pip install octax"


def test_the_list_as_json(assay):
    code, out, err = assay("play", "--list", "--json")
    assert (code, err) == (0, "")
    (brick,) = [game for game in json.loads(out)["games"] if game["name"] == "brick"]
    assert (brick["keys"], brick["key_names"], brick["source"]) == ([7, 9], ["left", "right"], "assay")


def test_help(assay):
    code, out, err = assay("play", "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
