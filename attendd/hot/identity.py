"""Who is asking: the session this process works for, or the knowledge that nobody can tell.

The process tree decides. A client keeps a record of its own process; the nearest ancestor with
such a record, started when the record says, is the client that called us. Neither the
environment's session id nor the current directory is ever believed.
"""

import posix

from attendd.hot import folders, places, process, record

_LONGEST_NAME = 40


class IdentityError(Exception):
    """A name that can't be gone by; ``args[0]`` says why.

    Attributes:
        hint: what to do instead.
        exit_code: what a process exits with that was given it.
    """

    exit_code = 4

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class Caller:
    """Who called, and how that is known.

    Attributes:
        session: the client's id, ``as:NAME``, ``tty:PID:START``; ``''`` if unresolved.
        harness: ``claude-code`` or ``none``.
        declared: whether the session is a name of the caller's own choosing.
        client_pid: the client's process; ``None`` without a client.
        client_start: when that started, as `process.start_time` gives it.
        client_pidns: the namespace its pid counts in: ours, unless we are in a sandbox, where
            `process.alive` can't tell about it.
        workdir: the session's directory; it may have been deleted.
        how: ``CLAUDE_PID``, ``ancestor``, ``--as``, ``ATTEND_AS``, ``terminal`` or
            ``unresolved``.
        record: what the client wrote about its process; ``None`` without one.
        record_path: the file that is in; ``''`` without one.
        contract: what about the client's record is not as this release knows it, or ``''``.
    """

    __slots__ = (
        "client_pid", "client_pidns", "client_start", "contract", "declared", "harness", "how",
        "record", "record_path", "session", "workdir",
    )  # fmt: skip

    def __init__(self, session: str = "", how: str = "unresolved", contract: str = "") -> None:
        self.session = session
        self.harness = "none"
        self.declared = False
        self.client_pid: int | None = None
        self.client_start = ""
        self.client_pidns = ""
        self.workdir = ""
        self.how = how
        self.record: record.Record | None = None
        self.record_path = ""
        self.contract = contract

    @property
    def transcript(self) -> str:
        """The path of the session's transcript; ``''`` while that is not known."""
        return record.transcript(self.record) if self.record else ""


def resolve(as_name: str = "", *, own: bool = False) -> Caller:
    """Find out who called.

    Args:
        as_name: what ``--as`` said. Outside a client ``$ATTEND_AS`` stands in for it; inside
            one that variable counts for nothing.
        own: whether, at a terminal, it is this very process that counts and not all that the
            terminal's session runs.

    Raises:
        IdentityError: the name is none, or the caller has a session and so can't choose.
    """
    client = _client()
    if client is not None and client.session and as_name:
        raise IdentityError(
            f"this process belongs to a client's session, so it can't go by {as_name!r}",
            "leave out --as: the session itself is named",
        )
    name = as_name or places.env("ATTEND_AS")
    if client is not None and (client.session or not name):
        caller = client
    elif name:
        caller = Caller(f"as:{_checked(name)}", "--as" if as_name else "ATTEND_AS")
        caller.declared = True
    else:
        caller = Caller(_terminal(own=own), "terminal")
    caller.workdir = caller.workdir or current_dir()
    return caller


def current_session(client_pid: int, client_start: str) -> str | None:
    """Return the session that a client's process runs now, which `/clear` changes.

    Cheap to ask often: an unchanged record is not read again.

    Returns:
        ``None`` if the record is gone, belongs to another process, or can't be read.
    """
    found = record.read_again(client_pid)
    if found is None or found.problem or found.start != client_start:
        return None
    return found.session


def project_of(path: str) -> str:
    """Return the key of the project that a directory belongs to.

    That is the repository's common git directory, one for all its worktrees, and outside a
    repository the directory itself; real paths both. Starts no process, believes no ``GIT_*``.

    Args:
        path: absolute. What of it no longer exists is resolved as far as it goes.

    Returns:
        The path, or ``bytes:`` and its bytes in hex if it is not UTF-8.
    """
    found = repository_of(path)
    return _text(_common(found) if found else folders.real(path))


def repository_of(path: str) -> str:
    """Return the git directory that begins in a directory or above it; ``''`` for none."""
    folder = folders.real(path)
    while not (found := git_dir(folder)) and folder != "/":
        folder = folder.rpartition("/")[0] or "/"
    return found


def project_file(path: str) -> str:
    """Return the nearest ``.attend.toml`` at or above a directory, within its work tree.

    Returns:
        ``''`` if there is none. Outside a repository only the directory itself is looked at.
    """
    here = folders.real(path)
    folder, nearest = here, ""
    while True:
        base = folder.rstrip("/")
        if not nearest and folders.exists(f"{base}/.attend.toml"):
            nearest = f"{base}/.attend.toml"
        if (folder == here and nearest) or folders.exists(f"{base}/.git"):
            return nearest
        if not base:
            return ""
        folder = base.rpartition("/")[0] or "/"


def current_dir() -> str:
    """Return the current directory, or where it was before it was deleted."""
    try:
        return posix.getcwd()
    except OSError:
        pass
    try:
        return posix.readlink("/proc/self/cwd").removesuffix(" (deleted)")
    except OSError:
        return places.env("PWD") or "/"


def _client() -> Caller | None:
    """Find the client that called; ``None`` if there is no sign of one."""
    named = places.env("CLAUDE_PID")
    described = record.described()
    for pid, start, _ in () if described == set() else process.ancestors():
        known = described is None or str(pid) in described
        found = record.read(pid) if known else None
        if found is None or _is_about_another(found, start):
            continue
        if not start:
            found.problem = f"{found.path} can't be compared with its process on this system"
        return _caller(found, pid, "CLAUDE_PID" if named == str(pid) else "ancestor")
    if named.isdecimal():
        found = record.read(int(named))
        if found is not None and not found.problem and _sees_more(found):
            return _caller(found, int(named), "CLAUDE_PID")
    return Caller() if named or places.env("CLAUDECODE") else None


def _is_about_another(found: record.Record, start: str) -> bool:
    """Whether a record was left by another process than the one that has its pid here and now.

    Where both start times are known, they decide: no two processes share pid and start time,
    not even in different namespaces. Else the pid namespaces decide, where both are known.
    """
    if found.start and start:
        return found.start != start
    pidns = process.pid_namespace()
    return bool(found.pidns and pidns and found.pidns != pidns)


def _sees_more(found: record.Record) -> bool:
    """Whether a record's process is one that we are walled off from, on this machine.

    A client's sandbox has a pid namespace of its own, so there the tree ends before the client.
    Everywhere else a client that is no ancestor of ours has not called us.
    """
    pidns = process.pid_namespace()
    if not found.pidns or not pidns or found.pidns == pidns:
        return False
    machine = folders.read("/etc/machine-id").strip()
    return not machine or not found.machine or machine == found.machine


def _caller(found: record.Record, pid: int, how: str) -> Caller:
    if found.problem:
        return Caller(contract=found.problem)
    caller = Caller(found.session, how)
    caller.harness = "claude-code"
    caller.client_pid = pid
    caller.client_start = found.start
    caller.client_pidns = found.pidns or process.pid_namespace()
    caller.workdir = found.cwd
    caller.record = found
    caller.record_path = found.path
    return caller


def _checked(name: str) -> str:
    plain = name.replace(".", "").replace("_", "").replace("-", "")
    if len(name) > _LONGEST_NAME or not (plain.isascii() and plain.isalnum()):
        raise IdentityError(
            f"{name!r} can't be a name",
            f"a name has 1 to {_LONGEST_NAME} letters, digits, dots, dashes or underscores",
        )
    return name


def _terminal(*, own: bool) -> str:
    """Name whoever sits at the terminal by the first process of its session."""
    pid = posix.getpid() if own else posix.getsid(0)
    start = process.start_time(pid) if pid > 0 else None
    if start is None:  # the shell is gone, or outside our pid namespace
        pid = posix.getpid()
        start = process.start_time(pid)
    return f"tty:{pid}:{start or ''}"


def git_dir(folder: str) -> str:
    """Return the git directory that begins in a folder, as git-init(1) and worktrees lay it.

    Returns:
        ``''`` where none begins there.
    """
    base = folder.rstrip("/")
    dot = f"{base}/.git"
    if folders.exists(f"{dot}/HEAD"):
        return dot
    line = folders.read(dot)
    if line.startswith("gitdir: "):
        target = line.removeprefix("gitdir: ").partition("\0")[0].rstrip("\r\n")
        return target if target.startswith("/") else f"{base}/{target}"
    bare = all(folders.exists(f"{base}/{part}") for part in ("HEAD", "objects", "refs"))
    return base if bare else ""


def _common(git_dir: str) -> str:
    line = folders.read(f"{git_dir}/commondir").partition("\0")[0].rstrip("\r\n")
    if not line:
        return folders.real(git_dir)
    return folders.real(line if line.startswith("/") else f"{git_dir}/{line}")


def _text(path: str) -> str:
    data = path.encode("utf-8", "surrogateescape")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return f"bytes:{data.hex()}"
