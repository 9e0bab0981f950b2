"""`assay today`, `assay follow`, `assay unfollow` and `assay mark`: the digest, and what it learns from."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from assay import catalogue, home, shelf
from assay.commands.terminal import CommandError, console, counted, plain, print_json, say
from assay.papers.library import Library

if TYPE_CHECKING:
    from assay.papers.digest import By, Digest

_T = TypeVar("_T")
_EMPTY = "the library is empty: `assay read FILE` adds the papers of a listing"
_FORMS = ("markdown", "html", "atom", "mail", "json")
_ADDRESS = re.compile(
    r"[^@\s<>,;:\"()\[\]\\]+@[^@\s<>,;:\"()\[\]\\]+\.[^@\s<>,;:\"()\[\]\\]+|[^@\s<>,;:\"()\[\]\\]+@localhost"
)


def today(
    since: str | None,
    everything: bool,
    by: str,
    limit: int,
    form: str | None,
    write: Path | None,
    to: str | None,
    as_json: bool,
) -> int:
    """Show what is new, or write or send it; what was shown is not new the next time, unless a date was asked for."""
    from assay.papers.digest import digest, seen

    form = _form(form, to, as_json)
    if by not in ("status", "topic"):
        raise CommandError(f"--by {by}: group by status or by topic")
    if to is not None:
        _check_mail(to)
    with _library() as library:
        known = {key: card.name for key, card in shelf.by_key(catalogue.cards()[0]).items()}
        grouping: By = "topic" if by == "topic" else "status"
        try:
            found = digest(library, since, grouping, limit, known, everything)
        except ValueError as error:
            raise CommandError(f"--{error}") from None
        _give(found, form, write, to)
        if since is None and not everything:
            seen(library, found.last)
    return 0


def _form(form: str | None, to: str | None, as_json: bool) -> str:
    if as_json and (form is not None or to is not None):
        raise CommandError("--json goes with neither --as nor --to")
    if form is not None and form not in _FORMS:
        raise CommandError(f"--as {form}: there is no such form; there are {', '.join(_FORMS)}")
    if to is not None and form not in (None, "mail"):
        raise CommandError(f"--to sends a mail; it does not go with --as {form}")
    return "json" if as_json else form or ("mail" if to else "")


def _give(found: Digest, form: str, write: Path | None, to: str | None) -> None:
    from assay.commands import digest_forms as forms

    if to is not None:
        _send(found, to)
        return
    if not form and write is None:
        _print(found)
        return
    if form == "json":
        print_json(forms.as_dict(found))
        return
    made: Mapping[str, Callable[[], str]] = {
        "markdown": lambda: forms.markdown(found),
        "html": lambda: forms.page(found),
        "atom": lambda: forms.atom(found),
        "mail": lambda: forms.mail(found, _sender(), _sender()).as_string(),
    }
    text = made[form or ("html" if write is not None and write.suffix.lower() in (".html", ".htm") else "markdown")]()
    if write is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    part = write.with_name(write.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(write)
    print(f"wrote {plain(write)}")


def _print(found: Digest) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from assay.commands import digest_forms as forms

    out = console()
    out.print(forms.title(found), style="bold")
    for group in found.groups:
        out.print(f"\n{plain(group.name)}", style="bold underline")
        for entry in group.entries:
            out.print()
            out.print(Text(plain(forms.name_of(entry.paper)), style="bold" if entry.paper.has_title else "bold italic"))
            lines = [(forms.people(entry.paper), ""), (forms.facts(entry.paper), "dim"), (entry.why, "italic green")]
            for line, style in lines:
                if line:
                    out.print(Padding(Text(plain(line), style), (0, 0, 0, 2), expand=False))
            out.print(
                Padding(Text(plain(forms.page_of(entry.paper) or entry.paper.key), "dim"), (0, 0, 0, 2), expand=False)
            )
        if group.left_out:
            out.print(f"\n{forms.left_out(group)}; --limit shows more", style="dim")
    if not found.groups:
        out.print("nothing new" if not found.total else "nothing new that you have not read or refused")
    elif not found.marked and not found.follows:
        out.print("\n`assay mark PAPER keep` and `assay follow topic ...` put first what you want to see", style="dim")


# --- sending -----------------------------------------------------------------------------------------------------


def _sender() -> str:
    return os.environ.get("ASSAY_SMTP_FROM") or "assay@localhost"


def _check_mail(to: str) -> None:
    for name, address in (("--to", to), ("ASSAY_SMTP_FROM", _sender())):
        if not _ADDRESS.fullmatch(address):
            raise CommandError(f"{name}: {address!r} is no mail address")
    if not os.environ.get("ASSAY_SMTP_HOST"):
        raise CommandError("--to: ASSAY_SMTP_HOST must name the server that sends; without --to the mail is printed")


def _send(found: Digest, to: str) -> None:
    """Send by SMTP: TLS from the start on port 465, STARTTLS where the server offers it, a password only over TLS."""
    import smtplib
    import ssl

    from assay.commands import digest_forms as forms

    host = os.environ["ASSAY_SMTP_HOST"]
    told = os.environ.get("ASSAY_SMTP_PORT", "587")
    if not told.isdigit() or not 0 < int(told) < 65536:
        raise CommandError(f"ASSAY_SMTP_PORT: {told!r} is no port")
    user, password = os.environ.get("ASSAY_SMTP_USER", ""), os.environ.get("ASSAY_SMTP_PASSWORD", "")
    context = ssl.create_default_context()
    try:
        server = (
            smtplib.SMTP_SSL(host, int(told), timeout=60, context=context)
            if told == "465"
            else smtplib.SMTP(host, int(told), timeout=60)
        )
        with server:
            secure = told == "465"
            server.ehlo()
            if not secure and server.has_extn("starttls"):
                server.starttls(context=context)
                secure = True
            if user:
                if not secure and host not in ("localhost", "127.0.0.1", "::1"):
                    raise CommandError(f"{host}: no TLS there; the password was not sent")
                server.login(user, password)
            server.send_message(forms.mail(found, _sender(), to))
    except smtplib.SMTPAuthenticationError:
        raise CommandError(f"{host}: the server refused ASSAY_SMTP_USER and ASSAY_SMTP_PASSWORD") from None
    except (OSError, smtplib.SMTPException) as error:
        why = " ".join(str(error).split()) or type(error).__name__
        raise CommandError(
            f"{host}: the mail was not sent: {why.replace(password, '***') if password else why}"
        ) from None
    print(f"sent to {plain(to)}: {counted(found.total, 'new paper')}")


# --- follows and marks -------------------------------------------------------------------------------------------


def follow(kind: str | None, what: str | None, as_json: bool) -> int:
    """Follow something; without anything, list what is followed."""
    from assay.papers.follow import follow as begin
    from assay.papers.follow import followed, marks

    with _library() as library:
        if kind is not None:
            one = _tried(lambda: begin(library, kind, what or ""))
            say(f"following {one.kind} {one.what}")
            return 0
        found, judged = followed(library), marks(library)
    if as_json:
        print_json({"follows": [vars(one) for one in found], "marks": len(judged)})
    else:
        for one in found:
            print(plain(f"{one.kind:8}{one.what}"))
        print(f"{counted(len(found), 'follow')}, {counted(len(judged), 'mark')}")
    return 0


def unfollow(kind: str, what: str) -> int:
    """Follow something no longer."""
    from assay.papers.follow import unfollow as end

    with _library() as library:
        if not _tried(lambda: end(library, kind, what)):
            raise CommandError(f"unfollow {kind} {what}: it was not followed; `assay follow` lists what is")
    say(f"no longer following {kind} {what}")
    return 0


def mark(paper: str, judgement: str) -> int:
    """Mark a paper as read, keep or no, or forget its mark."""
    from assay.papers.follow import mark as set_mark

    with _library() as library:
        key = _tried(lambda: set_mark(library, paper, None if judgement == "forget" else judgement))
        title = library.get(key).title
    print(f"{'forgotten' if judgement == 'forget' else judgement}: {plain(title)}")
    return 0


def _tried(do: Callable[[], _T]) -> _T:
    try:
        return do()
    except ValueError as error:
        raise CommandError(str(error)) from None


def _library() -> Library:
    if not home.library_file().exists():
        raise CommandError(_EMPTY)
    return Library(home.library_file())
