"""`attend peers`: the sessions that run around this one, and what is known of each."""

import time

from attendd.hot import (
    commands,
    db,
    frame,
    gauge,
    identity,
    jsonout,
    persona,
    places,
    present,
    process,
    usage,
    worktree,
)
from attendd.hot.ids import box_of

_OPTIONS = ("--all", "--json")
_DOES = {"busy": "busy", "idle": "idle", "shell": "idle"}
_LISTENS = {"hook": "hooks"}
_PRINT = "sdk-cli"
_PERCENT = 100
_BRIEF = 60
_UNMET = "not attended, so it can't be written to"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main(words: list[str]) -> int:
    """Print who is here; return the exit code.

    Raises:
        UsageError: the command line can't be carried out.
        StoreError: the store is there and can't be read.
    """
    for word in words:
        if word in ("-h", "--help"):
            commands.explain("peers")
        if word not in _OPTIONS:
            raise usage.strange("peers", word, _OPTIONS)
    caller = identity.resolve()
    strange: list[int] = []
    found = gather(caller, strange)
    near = [each for each in found if each["near"] or each["self"]]
    shown = found if "--all" in words else near
    if "--json" in words:
        commands.put(jsonout.document(shown) + "\n")
    else:
        commands.put(_said(shown, len(found) - len(near)))
        if strange:
            many = len(strange)
            what = "1 client has a record" if many == 1 else f"{many} clients have records"
            commands.put(f"{what} that this release can't read: `attend status` says why\n")
    return 0


def gather(caller: identity.Caller, strange: "list[int]") -> "list[dict[str, Any]]":
    """Describe every session that runs now, the caller's own first, then those near to it.

    Args:
        caller: who asks.
        strange: gets the pids of clients of which nothing can be said.

    Raises:
        StoreError: the store is there and can't be read.
    """
    running = present.live(strange)
    present.look(running)
    home = identity.project_of(caller.workdir) if caller.workdir else ""
    with _Store() as store:
        own = store.channels(caller.session)
        found = [_client(each, store) for each in running]
        found += [_declared(session, store) for session in store.declared()]
        for each in found:
            each["channels"] = sorted(store.channels(each["session"]))
            same = each["project"] == home and bool(home)
            each["near"] = same or bool(own & set(each["channels"]))
            each["self"] = bool(caller.session) and each["session"] == caller.session
    return sorted(found, key=lambda each: (not each["self"], not each["near"], each["project"]))


class _Store:
    """What is written down of the sessions, read and left alone."""

    def __init__(self) -> None:
        path = f"{places.known_state_dir()}/attend.db"
        self._db = db.connect(path, readonly=True)
        self._boot = process.boot_id()

    def __enter__(self) -> "_Store":
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def name(self, session: str) -> str:
        """Return what a session is called; ``''`` if attend has not met it."""
        sql = """SELECT coalesce(nullif(origin, ''), project), instance, name, declared
            FROM session WHERE id = ?"""
        for origin, instance, name, declared in db.read(self._db, sql, (session,)):
            return _text(name) if declared else persona.name(_text(origin), int(instance or 1))
        return ""

    def channels(self, session: str) -> set[str]:
        """Return the channels that a session has joined."""
        sql = "SELECT channel FROM membership WHERE session = ?"
        return {_text(row[0]) for row in db.read(self._db, sql, (box_of(session),))}

    def listens(self, session: str) -> str:
        """Return by what a session hears of things: ``monitor``, ``hooks``, … or ``none``."""
        sql = """SELECT conduit, reader_pid, reader_start, pidns FROM attachment
            WHERE session = ? AND ended_at IS NULL AND boot = ? ORDER BY conduit = 'hook'"""
        for conduit, *reader in db.read(self._db, sql, (session, self._boot)):
            if process.alive(*reader) is not False:
                return _LISTENS.get(conduit, str(conduit))
        return "none"

    def stated(self, session: str) -> gauge.Stated:
        """Return what a client stated of its session."""
        sql = """SELECT model, window_tokens, used_tokens, used_pct, at FROM stated
            WHERE session = ?"""
        try:
            rows = db.read(self._db, sql, (session,))
        except db.StoreError:
            rows = []  # an older store
        return gauge.Stated(*rows[0]) if rows else gauge.Stated()

    def declared(self) -> list[str]:
        """List the sessions of no client that somebody reads for."""
        sql = """SELECT DISTINCT session, workdir FROM attachment WHERE ended_at IS NULL
            AND client_pid IS NULL AND session LIKE 'as:%' AND boot = ? ORDER BY session"""
        found = [_text(row[0]) for row in db.read(self._db, sql, (self._boot,))]
        return [session for session in found if self.listens(session) != "none"]

    def workdir(self, session: str) -> str:
        """Return where a session was enrolled."""
        rows = db.read(self._db, "SELECT workdir FROM session WHERE id = ?", (session,))
        return _text(rows[0][0]) if rows else ""


def _client(running: present.Present, store: _Store) -> "dict[str, Any]":
    end = running.end
    model, tokens, window = gauge.of(end, store.stated(running.session))
    share = None
    if window and tokens is not None:
        share = round(_PERCENT * tokens / window, 1)
    return _placed(running.cwd) | {
        "session": running.session,
        "name": store.name(running.session),
        "client_name": running.name,
        "pid": running.pid,
        "headless": running.entrypoint == _PRINT,
        "status": _DOES.get(running.status, running.status or "unknown"),
        "waits_for": running.waits_for if running.status == "waiting" else "",
        "since_at": running.since,
        "model": model,
        "tokens_used": tokens,
        "tokens_total": window,
        "pct_used": share,
        "listens_by": store.listens(running.session),
        "edited": end.edited,
    }


def _declared(session: str, store: _Store) -> "dict[str, Any]":
    """Describe a session that goes by a name of its own, outside any client."""
    return _placed(store.workdir(session)) | {
        "session": session,
        "name": store.name(session),
        "client_name": "",
        "pid": None,
        "headless": False,
        "status": "unknown",
        "waits_for": "",
        "since_at": None,
        "model": "",
        "tokens_used": None,
        "tokens_total": None,
        "pct_used": None,
        "listens_by": store.listens(session),
        "edited": [],
    }


def _placed(workdir: str) -> "dict[str, Any]":
    if not workdir.startswith("/"):
        return {"project": "", "worktree": "", "branch": "", "workdir": workdir}
    top, branch = worktree.of(workdir)
    project = identity.project_of(workdir)
    return {"project": project, "worktree": top, "branch": branch, "workdir": workdir}


# -- for people -----------------------------------------------------------------------


def _said(shown: "list[dict[str, Any]]", elsewhere: int) -> str:
    lines = [line for each in shown for line in _paragraph(each)]
    if not [each for each in shown if not each["self"]]:
        lines.append("nobody else is here")
    if elsewhere and not any(not (each["near"] or each["self"]) for each in shown):
        lines.append(f"{elsewhere} elsewhere: `attend peers --all` lists them, too")
    return "".join(f"{line}\n" for line in lines)


def _paragraph(each: "dict[str, Any]") -> list[str]:
    """Say all about one session in up to four lines."""
    called = each["name"] or each["client_name"] or "-"
    brief = each["session"] if each["session"].startswith("as:") else each["session"][:8]
    mine = " (this session)" if each["self"] else ""
    heard = f"listens by {each['listens_by']}" if each["name"] else _UNMET
    head = [f"{called} {brief}{mine}", _doing(each), heard]
    if each["headless"]:
        head.append("run by a program")
    where = [each["branch"], _short(each["worktree"])]
    where += [f"#{name}" for name in each["channels"]]
    lines = [_line("", head), _line("  ", where)]
    lines.append(_line("  ", [each["model"], _context(each)]))
    top = each["worktree"].rstrip("/") + "/"
    edited = ", ".join(frame.cut(path.removeprefix(top), _BRIEF) for path in each["edited"])
    lines.append(_line("  ", [f"edited {edited}" if edited else ""]))
    return [line for line in lines if line.strip()]


def _line(indent: str, parts: list[str]) -> str:
    return indent + frame.inert(" · ".join(part for part in parts if part))


def _doing(each: "dict[str, Any]") -> str:
    status, waits = each["status"], each["waits_for"]
    said = f"waits: {waits}" if waits else {"unknown": ""}.get(status, status)
    if said and each["since_at"] is not None:
        said += f" {_age(time.time() - each['since_at'])}"
    return str(said)


def _context(each: "dict[str, Any]") -> str:
    tokens = each["tokens_used"]
    if tokens is None:
        return ""
    share = each["pct_used"]
    return f"context {tokens:,} tokens" + (f" ({share:.0f} %)" if share is not None else "")


def _age(seconds: float) -> str:
    left = max(0, int(seconds))
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if left >= size:
            return f"{left // size} {unit}"
    return f"{left} s"


def _short(path: str) -> str:
    home = places.env("HOME").rstrip("/")
    inside = bool(home) and (path == home or path.startswith(f"{home}/"))
    return "~" + path[len(home) :] if inside else path


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
