"""`attend mute`: has this session hear nothing from somebody; what comes is kept meanwhile."""

import argparse
import time

from attendd.cli import arguments, mailbox, output, table, words
from attendd.cli.mailbox import Mailbox
from attendd.cli.state import State, writable
from attendd.errors import AttendError, UsageError
from attendd.hot import bell, identity, ids, moment, near
from attendd.hot.address import RecipientError, channel_name
from attendd.hot.who import Directory
from attendd.store import Mute


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "who",
        nargs="?",
        default="",
        metavar="WHO",
        help="a session, by name or id, or #CHANNEL",
    )
    parser.add_argument(
        "--for",
        dest="span_s",
        metavar="SPAN",
        type=arguments.duration_s,
        help="for how long: 30m, 2h, 1d; until it is taken back, if not given",
    )
    parser.add_argument("--off", metavar="WHO", default="", help="hear from that one again")
    parser.add_argument("--list", action="store_true", help="whom nothing is heard from now")
    mailbox.add_as(parser)
    arguments.add_json(parser)
    parser.epilog = "Nothing is lost: what comes meanwhile is shown when the mute ends."


def run(args: argparse.Namespace) -> int:
    """Mute somebody, lift that, or list who is muted.

    Raises:
        UsageError: not exactly one of the three is asked for.
        AttendError: nobody, or not certainly one, goes by that name.
        StoreError: it could not be written down.
    """
    if sum(map(bool, (args.who, args.off, args.list))) != 1 or (args.span_s and not args.who):
        raise UsageError(
            "one of three is needed: WHO, --off WHO or --list",
            hint="attend mute juno --for 30m; attend mute --off juno; attend mute --list",
        )
    state = State()
    whose = mailbox.of(state, args)
    if args.list:
        return _list(state, whose, as_json=args.json)
    if args.off:
        return _lift(state, whose, args.off, as_json=args.json)
    now = time.time()
    box, name = _who(state, whose, args.who)
    until = None if args.span_s is None else now + args.span_s
    mute = Mute(session=whose.box, who=box, until_at=until, at=now)
    writable(state.store_path).mutes.put(mute)
    _wake(state, whose)
    if args.json:
        return _list(state, whose, as_json=True)
    said = "until `attend mute --off` lifts it" if until is None else _until(until)
    print(table.one_line(f"muted {name} {said}; what comes is kept"))
    return 0


def _list(state: State, whose: Mailbox, *, as_json: bool) -> int:
    found = state.store.mutes.of(whose.box, time.time())
    if as_json:
        muted = [
            {
                "who": m.who,
                "name": _called(state, m.who),
                "since_at": m.at,
                "until_at": m.until_at,
            }
            for m in found
        ]
        return output.document({"muted": muted})
    for mute in found:
        until = "" if mute.until_at is None else f" {_until(mute.until_at)}"
        print(
            table.one_line(f"{_called(state, mute.who)}, since {words.moment(mute.at)}{until}")
        )
    if not found:
        print("nobody is muted")
    return 0


def _lift(state: State, whose: Mailbox, who: str, *, as_json: bool) -> int:
    found = state.store.mutes.of(whose.box, time.time())
    named = {mute.who: _called(state, mute.who) for mute in found}
    key = who.casefold()
    meant = [
        b for b, name in named.items() if key in (b.casefold(), _bare(name), name.casefold())
    ]
    box = meant[0] if len(meant) == 1 else _who(state, whose, who)[0]
    if not writable(state.store_path).mutes.lift(whose.box, box, time.time()):
        near_ones = near.suggest(who, named.values()) or list(named.values())
        hint = f"muted are: {', '.join(near_ones)}" if near_ones else "nobody is muted"
        raise AttendError(f"{who!r} is not muted", hint=hint)
    _wake(state, whose)
    if as_json:
        return _list(state, whose, as_json=True)
    print(table.one_line(f"{named.get(box, who)} is heard again, with what came meanwhile"))
    return 0


def _who(state: State, whose: Mailbox, who: str) -> tuple[str, str]:
    """Return what to write down for somebody, and what that one is called.

    Raises:
        UsageError: it is this session itself, or the person.
        AttendError: there is none of that name.
    """
    if who.startswith("#"):
        name = channel_name(who)
        known = [channel.name for channel in state.store.channels.all()]
        if name != "open" and name not in known:
            meant = [f"#{each}" for each in near.suggest(name, known)]
            hint = (
                f"did you mean {' or '.join(meant)}?"
                if meant
                else "`attend channels` lists them"
            )
            raise AttendError(f"there is no channel #{name}", hint=hint)
        return f"#{name}", f"#{name}"
    project = identity.project_of(whose.caller.workdir)
    try:
        person = state.store.call(
            lambda db: Directory(db, whose.box, project, moment.now()).one(who)
        )
    except RecipientError as error:
        return _author(state, whose, who, error)
    if person.box in whose.boxes:
        raise UsageError(
            f"{who!r} is this session itself", hint="`attend peers` lists the others"
        )
    if person.box == ids.USER:
        raise UsageError(
            "the person at the terminals can't be muted",
            hint="what the person should know can be said with `attend reply`",
        )
    return person.box, person.shown


def _author(state: State, whose: Mailbox, who: str, error: RecipientError) -> tuple[str, str]:
    """Find somebody who is not attended among those who said something here.

    Raises:
        AttendError: nobody, or not certainly one, of that name did.
    """
    known = state.store.mail.authors(whose.boxes)
    key = who.removeprefix("@").casefold()
    found = [box for box, name in known.items() if key in (box.casefold(), name.casefold())]
    if len(found) != 1 or found[0] == ids.USER:
        hint = error.hint.partition("--to ")[0].rstrip("; ")
        raise AttendError(str(error.args[0]), hint=hint) from error
    return found[0], _called(state, found[0])


def _called(state: State, who: str) -> str:
    return who if who.startswith("#") else mailbox.name_of(state, who)


def _bare(name: str) -> str:
    return name.partition(" (")[0].casefold()


def _until(at: float) -> str:
    return f"until {words.moment(at)}"


def _wake(state: State, whose: Mailbox) -> None:
    """Have whoever reads for the mailbox look at once, and again when a mute ends."""
    for reader in state.store.sessions.live():
        if ids.box_of(reader.session) == whose.box:
            bell.ring(reader.bell)
