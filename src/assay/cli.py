"""The command `assay`: what each command takes. What it does is in `assay.commands`, imported when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from assay import __version__

CANNOT = 2
"""Exit code where a command cannot do what it was asked."""
NO_READER = 1
"""Exit code where whoever read the output went away; what typer and rich use too."""

app = typer.Typer(
    name="assay",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

Json = Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")]


def _path(text: str) -> Path:
    """A path that is not empty: an unset variable must not mean the current folder."""
    if not text.strip():
        raise typer.BadParameter("it is empty; name a file or folder")
    return Path(text)


def _count(told: str | int) -> int:
    """A number from 1 on, or "all"; the default comes as a number."""
    text = str(told)
    if text == "all":
        return 2**31
    if not text.isdigit() or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is none; write a number from 1 on, or all")
    return int(text)


Runs = Annotated[
    Path | None,
    typer.Option("--runs", metavar="FOLDER", parser=_path, help="Folder of the runs.  [default: runs in ASSAY_HOME]"),
]


@app.callback(invoke_without_command=True)
def _assay(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """From a paper listing to a tested claim.

    Reads listings into a library, offers methods of papers as a Python library, and tests their claims on this machine.
    Files are kept in the folder that ASSAY_HOME names, by default ~/.local/share/assay.
    """
    if version:
        print(f"assay {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


# --- papers ------------------------------------------------------------------------------------------------------


@app.command()
def read(
    source: Annotated[
        list[str] | None,
        typer.Argument(metavar="SOURCE", help="Files, folders, https addresses, or - for pasted text."),
    ] = None,
    venue: Annotated[str | None, typer.Option(help="Venue of papers whose listing names none.")] = None,
    format: Annotated[
        str | None, typer.Option("--format", help="Take every source for this format, instead of looking.")
    ] = None,
    cards: Annotated[bool, typer.Option("--cards", help="Add the papers of the methods too.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Read a folder, and then what comes into it, until Ctrl-C.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Read listings into the library.

    Says for each source what it was taken for, how many papers were added, merged or unchanged, and what could not be
    read, with its line. Ends with 0 where all was read, 1 where something was not, 2 where nothing was.
    """
    from assay.commands import read as command

    return command.read(source or [], venue, format, cards, watch, as_json)


@app.command()
def search(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS", help="What to look for; without words, the newest papers.")
    ] = None,
    venue: Annotated[str | None, typer.Option(help='Venue, or its first words: "ICLR" for "ICLR 2026".')] = None,
    topic: Annotated[str | None, typer.Option(help="Part of the topic line.")] = None,
    status: Annotated[
        list[str] | None, typer.Option(help="submitted, accepted, published... May be given several times.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="Listed on or after: 2026, 2026-02, 2026-02-21.")
    ] = None,
    has: Annotated[
        str | None, typer.Option(metavar="method,code,claims", help="Only papers that have all of these.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N|all", parser=_count, help="Most papers to show.")] = 10,
    written: Annotated[
        str | None, typer.Option("--as", metavar="FORMAT", help="Write them as bibtex, ris, csl-json, csv or jsonl.")
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Say of each paper why it is there.")] = False,
    by_words: Annotated[bool, typer.Option("--words", help="By words alone, not by meaning.")] = False,
    as_json: Json = False,
) -> int:
    """Search the library by words, and by meaning.

    By meaning once `assay embed` was run.
    like:PAPER finds papers like one that you have, and so does a pasted abstract. Chinese queries find English papers.
    """
    from assay.commands import search as command

    return command.search(words or [], venue, topic, status or [], since, has, limit, written, why, by_words, as_json)


@app.command()
def embed(
    encoder: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="multilingual, words, or a model of sentence-transformers by path or name."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="J", min=1, help="Processes.  [default: as many as cores]")
    ] = None,
    as_json: Json = False,
) -> int:
    """Make the vectors for search by meaning.

    Those that are missing: stopped, it goes on where it was.
    By default with the encoder used last, else the multilingual one of the extra `semantic`, else with the library's
    own words.
    """
    from assay.commands import search as command

    return command.embed(encoder, jobs, as_json)


@app.command()
def show(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help="Identifier, link, key or its start, or the name of a method.")
    ],
    model: Annotated[
        bool, typer.Option("--model", help="Find the claims by the language model of ASSAY_CLAIMS_URL.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Show a paper, its claims, its method and its verdicts."""
    from assay.commands import papers

    return papers.show(paper, as_json, model)


# --- the digest --------------------------------------------------------------------------------------------------


@app.command()
def today(
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="Listed on or after: 2026-02-21.  [default: since the last time]")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All papers of the library.")] = False,
    by: Annotated[str, typer.Option(metavar="status|topic", help="What the papers are grouped by.")] = "status",
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Most papers in a group.")] = 20,
    form: Annotated[
        str | None, typer.Option("--as", metavar="FORM", help="markdown, html, atom, mail or json, on stdout.")
    ] = None,
    write: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", parser=_path, help="Write it, by default as Markdown.")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="ADDRESS", help="Send it as a mail, by ASSAY_SMTP_HOST.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Show what is new, ranked for you.

    By what you follow and marked.
    What was shown is not new the next time, unless --since or --all asked for it.
    """
    from assay.commands import today as command

    return command.today(since, everything, by, limit, form, write, to, as_json)


@app.command()
def follow(
    kind: Annotated[
        str | None, typer.Argument(metavar="KIND", help="topic, author, query, method, or like for papers like one.")
    ] = None,
    what: Annotated[str | None, typer.Argument(metavar="WHAT", help="What of that kind.")] = None,
    as_json: Json = False,
) -> int:
    """Follow something, or list what you follow.

    A topic, an author, words, a method, or papers like one.
    """
    from assay.commands import today as command

    return command.follow(kind, what, as_json)


@app.command()
def unfollow(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="As with follow.")],
    what: Annotated[str, typer.Argument(metavar="WHAT", help="As with follow.")],
) -> int:
    """Follow something no longer."""
    from assay.commands import today as command

    return command.unfollow(kind, what)


@app.command()
def mark(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="Identifier, link, key or its start.")],
    judgement: Annotated[str, typer.Argument(metavar="read|keep|no|forget", help="What you make of it.")],
) -> int:
    """Mark a paper; the digest learns from it."""
    from assay.commands import today as command

    return command.mark(paper, judgement)


# --- methods -----------------------------------------------------------------------------------------------------


@app.command()
def methods(as_json: Json = False) -> int:
    """List the methods that can be used and run."""
    from assay.commands import methods as commands

    return commands.methods(as_json)


@app.command()
def doctor(
    method: Annotated[str | None, typer.Argument(metavar="METHOD", help="Look at this method only.")] = None,
    install: Annotated[bool, typer.Option("--install", help="Install what the method lacks, with pip.")] = False,
    as_json: Json = False,
) -> int:
    """Say what is installed, what is missing, and where the files are."""
    from assay.commands import methods as commands

    return commands.doctor(method, install, as_json)


# --- studies -----------------------------------------------------------------------------------------------------


@app.command()
def run(
    method: Annotated[str, typer.Argument(metavar="METHOD", help='"family/method" or "method".')],
    study: Annotated[str | None, typer.Option(help="Only this study.  [default: all of the method]")] = None,
    scale: Annotated[
        str, typer.Option(metavar="small|full", help="Minutes on two cores, or the paper's own settings.")
    ] = "small",
    seeds: Annotated[int | None, typer.Option(metavar="N", help="Trials per regime.  [default: the study's]")] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="Change a setting; such a run stays out of the ledger."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="J", help="Trials at a time.  [default: as many as cores]")
    ] = None,
    runs: Runs = None,
    prepare_only: Annotated[bool, typer.Option("--prepare-only", help="Prepare data and models, run nothing.")] = False,
    as_json: Json = False,
) -> int:
    """Run the studies of a method, or resume them.

    Ends with 0 whatever the verdicts are, 2 where the study cannot run, 130 after Ctrl-C.
    """
    from assay.commands import studies

    return studies.run(method, study, scale, seeds, changes or [], jobs, runs, prepare_only, as_json)


@app.command()
def ledger(
    method: Annotated[str | None, typer.Argument(metavar="METHOD", help="Only this method.")] = None,
    runs: Runs = None,
    write: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", parser=_path, help="Write it as Markdown.")
    ] = None,
    regimes: Annotated[bool, typer.Option("--regimes", help="Show every regime below its claim.")] = False,
    as_json: Json = False,
) -> int:
    """Show all claims: reported against measured, with the verdict."""
    from assay.commands import studies

    return studies.ledger(method, runs, write, regimes, as_json)


# --- games -------------------------------------------------------------------------------------------------------


@app.command()
def play(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="Name of a game, or path of a .ch8 or .asm file.")
    ] = None,
    list_them: Annotated[bool, typer.Option("--list", help="List the games.")] = False,
    quirks: Annotated[
        str | None, typer.Option(metavar="PROFILE", help="vip, schip, xochip or octax.  [default: the game's own]")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Of the random numbers.  [default: a fresh one]")
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=_path, help="Play without a terminal into a .gif, or a .png of the end."),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Most steps to record, 15 a second.  [default: 300]")
    ] = None,
    player: Annotated[
        str | None, typer.Option(metavar="random|scripted|none", help="Who plays.  [default: random]")
    ] = None,
    scale: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=32, help="Width of a recorded pixel.  [default: 4]")
    ] = None,
    as_json: Json = False,
) -> int:
    """Play a CHIP-8 game in the terminal, or record one.

    p pauses, backspace starts again, Esc quits. Ends with 0, 2 where the game cannot be played or its program breaks,
    130 after Ctrl-C.
    """
    from assay.commands import play as command

    return command.play(game, list_them, quirks, seed, record, steps, player, scale, as_json)


# --- running a command -------------------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line (default: this process's) and return its exit code; a bug shows its traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a letter shows "?"
    try:
        code = _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that Python's last flush stays silent
        return NO_READER
    return code


def _run(argv: list[str]) -> int:
    try:
        done: Any = typer.main.get_command(app).main(argv, prog_name="assay", standalone_mode=False)
    except typer.exceptions.TyperException as error:
        print(f"assay: {_usage(error)}", file=sys.stderr)
        return CANNOT
    except typer.Abort:
        return 130
    except BrokenPipeError:
        raise
    except Exception as error:
        line = wrong(error)
        if line is None:
            raise
        print(f"assay: {_shown(line)}", file=sys.stderr)
        return CANNOT
    return int(done or 0)


def _shown(line: str) -> str:
    """A message without anything a terminal could obey."""
    from assay.commands.terminal import plain

    return plain(line)


def _usage(error: typer.exceptions.TyperException) -> str:
    """A mistake on the command line, with the help to look at."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "assay"
    return f"{error.format_message().rstrip('.')}; see {command} --help"


_WRONG = {
    "assay.catalogue": ("CardError", "MissingExtra", "UnknownMethod"),
    "assay.claims.model": ("ModelError",),
    "assay.commands.terminal": ("CommandError",),
    "assay.data": ("MissingPackage",),
    "assay.papers.encode": ("EncoderError",),
    "assay.papers.library": ("LibraryError", "NoSuchPaper"),
    "assay.studies.crew": ("CannotRun",),
    "assay.studies.ledger": ("StudyBroken",),
    "assay.studies.records": ("RunBroken", "RunBusy"),
}
"""Errors that a user can put right, each of them one line, by the module that defines them."""


def wrong(error: Exception) -> str | None:
    """What a user can put right, in a line; None for a bug."""
    for module, names in _WRONG.items():
        loaded = sys.modules.get(module)  # what raised it is loaded; nothing else needs to be
        if loaded is not None and isinstance(error, tuple(getattr(loaded, name) for name in names)):
            return str(error)
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename if error.filename is not None else 'writing the output'}: {error.strerror}"
    return None


if __name__ == "__main__":
    sys.exit(main())
