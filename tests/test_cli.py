"""Commands: what they print, their JSON, their exit codes, and what they do with mistakes (papers: test_cli_papers)."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from assay import __version__, catalogue, cli, home
from assay.commands import methods as method_commands
from assay.studies.records import Run
from toymethod import CARD, STUDY


def process(*argv, **more):
    """The command as a process of its own."""
    command = [sys.executable, "-m", "assay.cli", *map(str, argv)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def finished(*argv):
    with process(*argv) as running:
        out, err = running.communicate(timeout=120)
    return running.returncode, out, err


# --- the command line itself -------------------------------------------------------------------------------------


def test_help_and_version(assay):
    code, bare, _ = assay()
    assert code == 0
    assert assay("--help")[:2] == assay("-h")[:2] == (0, bare)
    assert "Usage: assay" in bare
    assert not [line for line in bare.splitlines()[1:] if line.endswith("...")], "a summary is cut off at 80 columns"
    assert assay("--version") == (0, f"assay {__version__}\n", "")


@pytest.mark.parametrize("name", ["read", "search", "show", "methods", "run", "ledger", "doctor"])
def test_every_command_has_help_that_fits_80_columns(assay, name):
    code, out, err = assay(name, "--help")
    assert (code, err) == (0, "")
    assert f"Usage: assay {name}" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["methods", "--jsn"], "No such option: --jsn"),
        (["run"], "Missing argument 'METHOD'"),
        (["run", "toy", "--seeds", "many"], "Invalid value for '--seeds'"),
        (["show"], "Missing argument 'PAPER'"),
        (["search", "x", "--limit", "0"], "--limit"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line(assay, argv, says):
    code, out, err = assay(*argv)
    assert (code, out) == (2, "")
    assert says in err
    assert err.startswith("assay: ")
    assert "--help" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("argv", [["--help"], ["methods"], ["methods", "--json"], ["--version"]])
def test_quick_commands_load_nothing_heavy(argv):
    program = f"import sys; from assay.cli import main; main({argv!r}); print(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    heavy = ("numpy", "scipy", "pandas", "sklearn", "altair", "jinja2", "assay.methods", "assay.studies", "sqlite3")
    assert [name for name in loaded if name.startswith(heavy)] == []
    if argv != ["methods"]:
        assert "rich" not in loaded


def test_every_known_error_is_there():
    for module, names in cli._WRONG.items():
        loaded = __import__(module, fromlist=names)
        assert all(issubclass(getattr(loaded, name), Exception) for name in names)


def test_a_bug_shows_its_traceback(assay, monkeypatch):
    def bug(as_json):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(method_commands, "methods", bug)
    with pytest.raises(ZeroDivisionError):
        assay("methods")


def test_a_reader_that_goes_away_is_no_error():
    with process("methods", "--json") as running:
        running.stdout.close()
        err = running.stderr.read()
        assert running.wait(60) == cli.NO_READER
    assert err == ""


# --- methods and doctor ------------------------------------------------------------------------------------------


def test_methods_lists_cards(assay, plugin):
    plugin()
    code, out, err = assay("methods")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    (line,) = [line for line in out.splitlines() if line.startswith("theory/toy")]
    assert line.split() == ["theory/toy", "A", "Toy", "paper", "1", "yes"]
    assert "privacy/rpwithprior" in out


def test_methods_as_json(assay, plugin):
    plugin()
    code, out, err = assay("methods", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["broken"] == []
    (toy,) = [method for method in found["methods"] if method["name"] == "theory/toy"]
    assert toy == {
        "name": "theory/toy",
        "family": "theory",
        "method": "toy",
        "title": "A Toy",
        "venue": "Nowhere",
        "year": 2026,
        "basis": "paper",
        "claims": 1,
        "extra": None,
        "missing": [],
        "install": None,
        "needs_missing": [],
        "exports": ["double"],
        "ids": {"arxiv": "2601.99999"},
    }


def test_a_broken_plugin_is_a_line_on_stderr_and_no_failure(assay, plugin):
    plugin()
    plugin("badplug.bad", **{"card.toml": CARD.replace("year = 2026\n", "")})
    code, out, err = assay("methods")
    assert code == 0
    assert "theory/toy" in out
    assert err.startswith("assay: plug-in bad = badplug.bad: ")
    assert "field 'year' is missing; add it" in err
    assert len(err.splitlines()) == 1
    code, out, err = assay("methods", "--json")
    assert (code, err) == (0, "")
    (broken,) = json.loads(out)["broken"]
    assert broken["where"] == "plug-in bad = badplug.bad"


@pytest.fixture
def lacking(plugin, monkeypatch):
    """A method whose extra and whose peers are not installed."""
    needs = (
        '\n[[needs]]\npackage = "no-peer"\nwhy = "a peer"\ninstall = "--no-deps no-peer==1.0"\n'
        '[[needs]]\npackage = "pip"\nwhy = "is there"\n'
    )
    plugin(**{"card.toml": f'extra = "theory"\n{CARD}{needs}'})
    monkeypatch.setattr(catalogue.metadata, "requires", lambda name: ["no-such-package>=1; extra == 'theory'"])


def test_methods_gives_the_install_line_of_what_is_missing(assay, lacking):
    code, out, _ = assay("methods")
    assert code == 0
    assert "theory/toy" in out
    assert "for theory/toy:\n  pip install 'assay[theory]'" in out
    (toy,) = [one for one in json.loads(assay("methods", "--json")[1])["methods"] if one["name"] == "theory/toy"]
    assert (toy["missing"], toy["install"]) == (["no-such-package>=1"], "pip install 'assay[theory]'")
    assert toy["needs_missing"] == ["no-peer"]


def test_run_without_the_extra_is_one_line(assay, lacking):
    code, out, err = assay("run", "toy")
    assert (code, out) == (2, "")
    assert err == "assay: theory/toy needs no-such-package>=1: pip install 'assay[theory]'\n"


def test_doctor_says_where_things_are_and_makes_nothing(assay, assay_home):
    code, out, err = assay("doctor", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["assay"] == __version__
    assert found["executable"] == sys.executable
    assert found["versions"]["numpy"]
    assert found["files"]["home"] == str(assay_home)
    assert found["files"]["library"] == {"file": str(assay_home / "library.sqlite"), "papers": 0, "bytes": 0}
    assert found["files"]["runs"] == {"folder": str(assay_home / "runs"), "runs": 0, "problems": []}
    assert found["extras"]["privacy"] == {"missing": [], "install": None}
    assert not assay_home.exists()


def test_doctor_in_words(assay, lacking):
    code, out, err = assay("doctor")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    text = " ".join(out.split())
    assert "not there yet" in text
    assert "extra theory missing: no-such-package>=1 pip install 'assay[theory]'" in text
    assert "theory/toy its studies lack no-peer: assay doctor theory/toy --install" in text


def test_doctor_tells_a_damaged_library(assay, assay_home):
    assay_home.mkdir()
    home.library_file().write_text("this is no database, but long enough to look at" * 50)
    code, out, _ = assay("doctor", "--json")
    assert code == 0
    assert str(home.library_file()) in json.loads(out)["files"]["library"]["problem"]


def test_doctor_of_a_method_that_has_all(assay, plugin):
    plugin()
    assert assay("doctor", "toy") == (0, "theory/toy has all it needs\n", "")
    code, out, _ = assay("doctor", "toy", "--json")
    expected = {"method": "theory/toy", "ran": [], "extra": None, "missing": [], "needs": [], "commands": []}
    assert (code, json.loads(out)) == (0, expected)


def test_doctor_of_a_method_shows_the_commands_and_runs_none(assay, lacking, monkeypatch):
    monkeypatch.setattr(method_commands.subprocess, "run", lambda *_, **__: pytest.fail("pip was called"))
    code, out, err = assay("doctor", "toy")
    assert (code, err) == (1, "")
    assert "theory/toy needs no-such-package>=1" in out
    assert "its studies need no-peer: a peer" in out
    assert "-m pip install" in out
    assert "--no-deps no-peer==1.0" in out


@pytest.fixture
def pip(monkeypatch):
    """Records calls of pip in place of calling it; `pip.code` is what it ends with."""

    class Pip:
        code = 0
        calls: list

        def __call__(self, command, **_):
            self.calls.append(command)
            return subprocess.CompletedProcess(command, self.code)

    fake = Pip()
    fake.calls = []
    monkeypatch.setattr(method_commands.subprocess, "run", fake)
    return fake


def test_doctor_installs_with_the_constraints_of_the_checkout(assay, lacking, pip):
    code, _, err = assay("doctor", "toy", "--install")
    constraints = Path(cli.__file__).parents[2] / "constraints.txt"
    start = [sys.executable, "-m", "pip", "install", "-qq", "-c", str(constraints)]
    assert pip.calls == [[*start, "no-such-package>=1"], [*start, "--no-deps", "no-peer==1.0"]]
    assert code == 1, "the packages are still not there"
    shown = [line for line in err.splitlines() if line.startswith("$ ")]
    assert len(shown) == 2
    assert shown[1].endswith("--no-deps no-peer==1.0")


def test_doctor_installs_without_constraints_elsewhere(assay, lacking, pip, monkeypatch):
    monkeypatch.setattr(method_commands, "constraints", lambda: None)
    code, out, _ = assay("doctor", "toy", "--install", "--json")
    assert pip.calls[0] == [sys.executable, "-m", "pip", "install", "-qq", "no-such-package>=1"]
    assert (code, len(json.loads(out)["ran"])) == (1, 2)


def test_doctor_says_when_pip_fails(assay, lacking, pip):
    pip.code = 1
    code, out, err = assay("doctor", "toy", "--install")
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == "assay: theory/toy: pip ended with 1; its message stands above"
    assert len(pip.calls) == 1


def test_doctor_installs_for_a_named_method_only(assay):
    code, out, err = assay("doctor", "--install")
    assert (code, out) == (2, "")
    assert "name the method whose packages to install" in err


# --- run ---------------------------------------------------------------------------------------------------------


def test_run_gives_verdicts_report_and_the_line_to_repeat_it(assay, plugin, assay_home):
    plugin()
    code, out, err = assay("run", "toy", "--jobs", "1")
    assert code == 0
    assert max(map(len, [line for line in out.splitlines() if "/" not in line])) <= 80
    assert "The toy is higher" in out
    assert "consistent" in out
    (report,) = [Path(line.split(None, 1)[1]) for line in out.splitlines() if line.startswith("report ")]
    assert report.is_file()
    assert report.parent.parent == assay_home / "runs"
    assert out.splitlines()[-1].split(None, 1)[1] == "assay run theory/toy --jobs 1"
    lines = err.splitlines()
    assert lines[0] == "study toy: 0 of 5 trials on record"
    assert lines[1].startswith("study toy: 1 of 5 trials (seed 0), ")
    assert lines[-1] == "study toy: 5 of 5 trials (seed 4)"
    assert (report.parent / "verdicts.json").is_file()

    code, again, err = assay("run", "toy", "--jobs", "1")
    assert code == 0
    assert again == out
    assert err == "study toy: 5 of 5 trials on record\n"


def test_run_as_json(assay, plugin, tmp_path):
    plugin()
    folder = tmp_path / "elsewhere"
    code, out, _ = assay("run", "theory/toy", "--runs", folder, "--seeds", "6", "--study", "toy", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["rerun"] == f"assay run theory/toy --study toy --seeds 6 --runs {folder}"
    (run,) = found["runs"]
    assert (run["method"], run["study"], run["scale"]) == ("theory/toy", "toy", "small")
    assert (run["state"], run["seeds"], run["trials"]) == ("finished", 6, 6)
    assert Path(run["folder"]).parent == folder
    (line,) = run["lines"]
    assert line["claim"]["id"] == "higher"
    assert line["verdict"]["word"] == "inconclusive"
    assert line["verdict"]["reason"] == "6 of 10 trials"


def test_a_verdict_against_the_paper_is_no_error(assay, plugin):
    plugin(**{"study.py": STUDY.replace('value("toy", 1.0)', 'value("toy", -1.0)')})
    code, out, _ = assay("run", "toy")
    assert code == 0
    assert "contradicted" in out


def test_an_arm_that_fails_is_said_and_recorded(assay, plugin):
    plugin(**{"study.py": STUDY.replace('lambda: value("plain", 0.0)', "lambda: 1 / 0")})
    code, _, err = assay("run", "toy", "--jobs", "1")
    assert code == 0
    assert "study toy: seed 0: arm plain failed; recorded with its reason" in err


def test_changed_settings_are_exploration(assay, plugin, assay_home):
    plugin()
    code, out, _ = assay("run", "toy", "--set", "pause = 0.0", "--set", "threads=2")
    assert code == 0
    assert "stays out of the ledger" in out
    assert "--set 'pause = 0.0' --set threads=2" in out
    (run,) = [folder for folder in (assay_home / "runs").iterdir() if folder.is_dir()]
    assert Run(run).info["settings"]["threads"] == 2
    (line,) = json.loads(assay("ledger", "toy", "--json")[1])["lines"]
    assert line["verdict"]["reason"] == "not run on this machine yet: assay run theory/toy"


def test_prepare_only_runs_nothing(assay, plugin, assay_home):
    prepared = STUDY.replace(
        "    def trial(self, run):",
        "    def prepare(self, settings, folder, progress):\n        progress(0.5, 'half of it')\n"
        "        (folder / 'done').touch()\n\n    def trial(self, run):",
    )
    plugin(**{"study.py": prepared})
    code, out, err = assay("run", "toy", "--prepare-only")
    assert (code, out) == (0, "prepared: toy\n")
    assert "study toy: preparing" in err
    assert list((assay_home / "prepared").glob("theory.toy.toy.*/done"))
    assert not (assay_home / "runs").exists()
    assert json.loads(assay("run", "toy", "--prepare-only", "--json")[1]) == {"prepared": ["theory/toy toy"]}


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["toy", "--set", "seeds=3"], "--set seeds: the number of seeds is no setting to change; use --seeds"),
        (["toy", "--set", "pause"], "--set pause: write it as field=value"),
        (["toy", "--set", "=1"], "--set =1: write it as field=value"),
        (["toy", "--set", "pause=1", "--set", "pause=2"], "--set pause: given twice; give it once"),
        (["toy", "--set", "paws=1"], "--set paws: there is no such setting; there are seeds, regimes, threads, pause"),
        (["toy", "--set", "pause=long"], "--set pause=long: the value must be float"),
        (["toy", "--set", "regimes=wild"], "--set regimes: there is no regime 'wild'; there are all"),
        (["toy", "--seeds", "0"], "--seeds is 0; it must be at least 1"),
        (["toy", "--jobs", "0"], "--jobs is 0; it must be at least 1"),
        (["toy", "--scale", "big"], "--scale is 'big'; it must be small or full"),
        (["toy", "--study", "game"], "theory/toy has no study 'game'; it has toy"),
        (["toi"], "there is no method 'toi'; did you mean toy"),
    ],
)
def test_what_cannot_run_is_one_line_and_2(assay, plugin, assay_home, argv, says):
    plugin()
    code, out, err = assay("run", *argv)
    assert (code, out) == (2, "")
    assert err.startswith(f"assay: {says}")
    assert len(err.splitlines()) == 1
    assert not (assay_home / "runs").exists()


def test_a_folder_that_cannot_be_written_is_one_line(assay, plugin, tmp_path):
    plugin()
    (tmp_path / "file").touch()
    code, out, err = assay("run", "toy", "--runs", tmp_path / "file")
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith(f"assay: {tmp_path / 'file'}")


def test_ctrl_c_leaves_whole_records_and_the_same_command_resumes(plugin, assay_home):
    plugin(**{"study.py": STUDY.replace("pause: float = 0.0", "pause: float = 0.3")})
    argv = ("run", "toy", "--jobs", "1")
    with process(*argv, start_new_session=True) as running:
        watchdog = threading.Timer(120, running.kill)
        watchdog.start()
        for line in running.stderr:
            if line.startswith("study toy: 2 of 5"):
                os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to the workers too
                break
        out, err = running.communicate(timeout=120)
        watchdog.cancel()
    assert running.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "assay: stopped; what is done is on record, and the same command resumes"
    assert "Traceback" not in err
    (folder,) = [folder for folder in (assay_home / "runs").iterdir() if folder.is_dir()]
    run = Run(folder)
    assert run.state == "stopped"
    done = sum(trial.complete for trial in run.trials())
    assert 2 <= done < 5
    code, out, err = finished(*argv)
    assert code == 0
    assert err.splitlines()[0] == f"study toy: {done} of 5 trials on record"
    assert "consistent" in out


def test_a_terminal_shows_bars(capsys):
    from assay.commands.studies import bars
    from assay.studies.crew import Event

    with bars() as show:
        for event in (
            Event("prepare", "toy", what="data", done=0.5),
            Event("start", "toy", done=0, total=2),
            Event("arm", "toy", "all", 0, "plain", "begin"),
            Event("progress", "toy", "all", 0, "plain", done=0.5, what="half"),
            Event("arm", "toy", "all", 0, "plain", "failed"),
            Event("died", "toy", "all", 0, "toy", what="exit code -9"),
            Event("arm", "toy", "all", 0, "toy", "begin"),
            Event("trial", "toy", "all", 0, done=1, total=2),
            Event("end", "toy", done=2, total=2),
            Event("start", "second", done=1, total=3),
        ):
            show(event)
    err = capsys.readouterr().err
    assert "study toy: seed 0: arm plain failed" in err
    assert "study toy: seed 0: a worker died (exit code -9)" in err
    assert "1/3" in err.split("study second")[1]
    assert "preparing" not in err.splitlines()[-1]


# --- ledger ------------------------------------------------------------------------------------------------------


def test_ledger_before_and_after_a_run(assay, plugin):
    plugin()
    code, out, err = assay("ledger", "toy")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "untested" in out
    assay("run", "toy")
    code, out, err = assay("ledger", "toy", "--regimes")
    assert (code, err) == (0, "")
    assert "consistent" in out
    found = json.loads(assay("ledger", "toy", "--json")[1])
    assert [line["verdict"]["word"] for line in found["lines"]] == ["consistent"]
    assert found["problems"] == []
    assert found["totals"].startswith("1 test; about 0.025 false directions")


def test_ledger_is_written_as_markdown(assay, plugin, tmp_path):
    plugin()
    file = tmp_path / "LEDGER.md"
    code, out, err = assay("ledger", "toy", "--write", file)
    assert (code, out) == (0, "")
    assert err == f"wrote {file}\n"
    assert file.read_text().startswith("# Ledger")
    code, out, err = assay("ledger", "toy", "--write", tmp_path / "no" / "LEDGER.md")
    assert (code, out) == (2, "")
    assert err.endswith(f"there is no folder {tmp_path / 'no'}; make it first\n")
    assert len(err.splitlines()) == 1


def test_ledger_is_written_through_links_and_over_plain_files_only(assay, plugin, tmp_path):
    plugin()
    (tmp_path / "real.md").write_text("old")
    (tmp_path / "link.md").symlink_to("real.md")
    assert assay("ledger", "toy", "--write", tmp_path / "link.md")[0] == 0
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real.md").read_text().startswith("# Ledger")
    os.mkfifo(tmp_path / "pipe")
    for target, says in ((tmp_path / "pipe", "not a plain file"), (tmp_path, "a folder"), ("", "it is empty")):
        code, _, err = assay("ledger", "toy", "--write", target)
        assert (code, says in err, len(err.splitlines())) == (2, True, 1)
    code, out, _ = assay("ledger", "toy", "--write", "-")
    assert code == 0
    assert out.startswith("# Ledger")


@pytest.mark.parametrize("trouble", ["raise RuntimeError('boom \x1b[31m')", "import sys; sys.exit(3)"])
def test_a_plugin_that_raises_is_one_line_and_the_others_stay(assay, plugin, trouble):
    plugin(**{"study.py": trouble})
    code, out, err = assay("ledger")
    assert code == 0
    assert "privacy/rpwithprior" in out
    assert "importing it failed" in err
    assert "\x1b" not in out + err
    code, out, err = assay("run", "toy")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "importing it failed" in err
    assert "\x1b" not in err


def test_ledger_of_a_folder_that_is_not_there(assay, tmp_path):
    code, out, err = assay("ledger", "--runs", tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert err == f"assay: --runs {tmp_path / 'nowhere'}: there is no such folder; name the one that holds the runs\n"


def test_ledger_goes_on_beside_a_run_that_cannot_be_read(assay, plugin, assay_home):
    plugin()
    assay("run", "toy")
    bad = assay_home / "runs" / "bad"
    bad.mkdir()
    (bad / "run.json").write_text("{")
    code, out, err = assay("ledger", "toy")
    assert code == 0
    assert "consistent" in out
    assert err.startswith(f"assay: {bad / 'run.json'}: ")
    assert len(err.splitlines()) == 1
