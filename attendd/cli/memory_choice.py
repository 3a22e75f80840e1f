"""Which facts `attend memory list` lists."""

import argparse

from attendd.cli.memory_project import Memory
from attendd.hot.who import begins
from attendd.store.facts import Found

STATUSES = ("active", "superseded", "pruned", "archived", "withheld", "undone", "forgotten")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare by what facts are chosen."""
    parser.add_argument(
        "--all", action="store_true", help="list: also what is not shown to sessions any more"
    )
    parser.add_argument(
        "--archived", action="store_true", help="list: what was archived, unused or for room"
    )
    parser.add_argument(
        "--from",
        metavar="WHO",
        dest="said_by",
        default="",
        help="list: of user, agent or subagent, of an agent's name, or of a session",
    )
    parser.add_argument(
        "--for", metavar="NAME", dest="reader", default="", help="list: for this reader alone"
    )
    parser.add_argument(
        "--weight",
        metavar="W",
        type=_weight,
        default=0,
        help="list: of so much at least, 0 to 1",
    )


def chosen(memory: Memory, args: argparse.Namespace) -> list[Found]:
    """Find the facts that are to be listed; an agent sees what it would be shown."""
    facts, project = memory.state.store.facts, memory.number(args)
    statuses = STATUSES if args.all else ("archived",) if args.archived else ("active",)
    if args.words:
        found = facts.search(project, " ".join(args.words), *statuses)
    else:
        found = facts.all(project, *statuses)
    names = memory.names()
    return [
        each
        for each in found
        if (names is None or each.fact.consumer in ("", *names))
        and each.fact.weight >= args.weight
        and (not args.reader or each.fact.consumer == args.reader)
        and (not args.said_by or _is_by(each, args.said_by))
    ]


def _is_by(found: Found, who: str) -> bool:
    fact = found.fact
    exact = who in (fact.producer, fact.agent, fact.session)
    return exact or begins(fact.session, who)


def _weight(text: str) -> int:
    """Read a weight, as hundredths.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    try:
        weight = float(text)
    except ValueError:
        weight = -1.0
    if not 0 <= weight <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no weight; write 0.7")
    return round(100 * weight)
