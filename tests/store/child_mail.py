"""What real processes do to messages in these tests. Run as `-I -S child_mail.py TASK PATH …`."""

import sys

sys.path.append(__file__.rpartition("/tests/")[0])

import posix

from attendd.hot import (
    address,
    conduit,
    handed,
    identity,
    ids,
    mail,
    moment,
    pace,
    post,
    seal,
)
from attendd.hot import db as hot


def letters(path: str, out: str, patience_s: str = "5") -> None:
    """Be a reader of messages, by its own code, until nothing waits; the pace is not kept."""
    db = hot.connect(path, patience_s=float(patience_s))
    shown = posix.open(out, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT, 0o600)
    stop, stopping = posix.pipe()
    way = conduit.Conduit(db, "a1", "s1", name="monitor", out=shown, stop=stop)
    while mail.waiting(db, ("s1",), moment.now(), "monitor"):
        way._pace = pace.Pace()  # noqa: SLF001 - three seconds of every try
        way.drain()
    for fd in (shown, stop, stopping):
        posix.close(fd)
    db.close()


SURE_S = 0.15


def letters_unsure(path: str, out: str) -> None:
    """Be one that asks what it still has if it was stopped for a moment before its write."""
    conduit.SURE_S = SURE_S
    letters(path, out)


def say_often(path: str, count: str, number: str) -> None:
    """Send so many messages, a connection for each as a command has, and name their ids."""
    sys.stdin.read()
    for each in range(int(count)):
        db = hot.connect(path, full=True)
        draft = draft_of(f"as:sender-{number}", f"{number}.{each}")
        outcome = post.commit(db, draft, moment.now())
        db.close()
        posix.write(1, f"{outcome.id} {number}.{each}\n".encode())


def take_in(path: str) -> None:
    """Accept a message that was left in a file, unless that was done already."""
    handed.take_file(path, seal.key(), told=False)


def make_key(home: str, _number: str) -> None:
    """Make the key as a reader does that starts, and say which one there is then."""
    posix.environ[b"ATTEND_HOME"] = home.encode()
    sys.stdin.read()
    seal.make()
    posix.write(1, seal.key().hex().encode())


def draft_of(sender: str, text: str) -> post.Draft:
    caller = identity.Caller(sender, "--as")
    caller.declared, caller.workdir = True, "/w"
    asked = address.parse("send", ["--to", "s1", "-"])
    return post.Draft(ids.new_id(), caller, asked, text.encode())


if __name__ == "__main__":
    conduit.APART_S = 0.0
    globals()[sys.argv[1]](*sys.argv[2:])
