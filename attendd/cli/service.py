"""`attend service`: have systemd keep attend's host running, see how it fares, take it away."""

import argparse
import time
from pathlib import Path
from typing import Any

from attendd.cli import arguments, manager, output, units, words
from attendd.cli.state import State
from attendd.cli.units import NAMES, SERVICE, SOCKET
from attendd.errors import AttendError, HostRunningError, UsageError

LINES = 100
_OF_LOGS = ("follow", "last", "since")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "action",
        choices=("install", "uninstall", "status", "logs", "restart"),
        help="install writes the units, enables and starts them; uninstall undoes that; status"
        " says how the service fares; logs shows what it said; restart ends it and starts it",
    )
    parser.add_argument("--follow", action="store_true", help="logs: what comes, too")
    parser.add_argument(
        "--last", metavar="N", type=arguments.count, help=f"logs: how many lines ({LINES})"
    )
    parser.add_argument(
        "--since", metavar="SPAN", type=arguments.duration_s, help="logs: from so long ago on"
    )
    arguments.add_json(parser)
    parser.epilog = "A service of systemd's; where that does not run, attend needs none."


def run(args: argparse.Namespace) -> int:
    """Do one of the five.

    Raises:
        AttendError: it can't be done; where systemd does not run, none can.
        UsageError: an option goes with another action.
    """
    given = [f"--{name}" for name in _OF_LOGS if getattr(args, name)]
    if given and args.action != "logs":
        raise UsageError(f"service: {given[0]} goes with logs", hint="`attend service --help`")
    if args.json and args.action not in ("status", "logs"):
        raise UsageError("service: --json goes with status and logs")
    manager.insist()
    if args.action == "logs":
        manager.show_log(_log_words(args))
    if args.action == "status":
        known = collected()
        return output.document(known) if args.json else _print_status(known)
    done = {"install": install, "uninstall": uninstall, "restart": restart}[args.action]()
    for each in done:
        print(output.safe(each))
    return 0


def install() -> list[str]:
    """Write, enable and start the units; return what was done.

    Raises:
        AttendError: a file can't be written, or the service does not start.
    """
    done = [f"wrote {path}" for path in _write(units.filled())]
    if done and manager.active(SOCKET):
        manager.stop()  # the service holds the socket, which is made anew only without it
    if done:
        manager.run("daemon-reload")
    idle = [name for name in NAMES if not manager.enabled(name)]
    if idle:
        manager.run("enable", *idle)
        done += [f"enabled {name}" for name in idle]
    if not (manager.active(SOCKET) and manager.active()):
        _start()
        done.append(f"started it: {_running(manager.shown())}")
    if not done:
        done.append(f"nothing was to be done; it runs: {_running(manager.shown())}")
    if not manager.lingers():
        done.append(f"lingering is {manager.lingering()}")
    return done


def uninstall() -> list[str]:
    """Stop the service and leave nothing of it; return what was done.

    Raises:
        AttendError: a file can't be removed.
    """
    done = []
    if manager.active() or manager.active(SOCKET):
        manager.stop()
        done.append("stopped it")
    there = [name for name in NAMES if manager.shown(name).get("LoadState") != "not-found"]
    idle = [name for name in there if manager.enabled(name)]
    if idle:
        manager.run("disable", *idle)
        done += [f"disabled {name}" for name in idle]
    for path in (units.folder() / name for name in NAMES):
        if path.is_symlink() or path.exists():
            path.unlink()
            done.append(f"removed {path}")
    if done:
        manager.run("daemon-reload")
        _forget_failures()
    _tidy(units.folder())
    kept = [path for name in NAMES if (path := units.folder() / f"{name}.d").exists()]
    done += [f"left {path}, which you wrote" for path in kept]
    return done or ["there was nothing to be removed"]


def restart() -> list[str]:
    """Restart the service; return what was done.

    Raises:
        AttendError: it is not installed, or does not start.
    """
    if manager.shown().get("LoadState") == "not-found":
        raise AttendError("the service is not installed", hint="attend service install")
    _forget_failures()
    began = time.monotonic()
    manager.run("restart", SERVICE)
    took = time.monotonic() - began
    return [f"restarted in {took:.1f} s: {_running(manager.shown())}"]


def collected() -> dict[str, Any]:
    """Collect everything, under the keys that `--json` prints."""
    service, socket = manager.shown(), manager.shown(SOCKET)
    host = State().host()
    return {
        "installed": service.get("LoadState") not in ("not-found", ""),
        "unit": service.get("FragmentPath", ""),
        "program": units.program(),
        "outdated": _outdated(),
        "enabled": {name: manager.enabled(name) for name in NAMES},
        "state": f"{service.get('ActiveState', '')} ({service.get('SubState', '')})",
        "socket": f"{socket.get('ActiveState', '')} ({socket.get('SubState', '')})",
        "pid": int(service.get("MainPID", 0)),
        "since": service.get("ActiveEnterTimestamp", ""),
        "says": service.get("StatusText", ""),
        "result": service.get("Result", ""),
        "restarts": int(service.get("NRestarts", 0)),
        "lingers": manager.lingers(),
        "host": None if host is None else host._asdict(),
    }


def _print_status(known: dict[str, Any]) -> int:
    if not known["installed"]:
        print("not installed; `attend service install` does that")
        output.facts([("host", _host(known)), ("lingering", manager.lingering())])
        return 0
    running = _state(known)
    enabled = " and ".join(name for name in NAMES if known["enabled"][name])
    output.facts(
        [
            ("service", running),
            ("says", _says(known)),
            ("socket", known["socket"]),
            ("enabled", enabled or "no: it is not started by itself"),
            ("unit", words.place(known["unit"])),
            ("host", _host(known)),
            ("lingering", manager.lingering()),
        ]
    )
    output.complaints(list(_complaints(known)))
    return 0


def _state(known: dict[str, Any]) -> str:
    if not known["pid"]:
        why = "" if known["result"] == "success" else f", {known['result']}"
        return f"{known['state']}{why}"
    again = f", restarted {words.many(known['restarts'], 'time')}" if known["restarts"] else ""
    return f"{known['state']}, pid {known['pid']}, since {known['since']}{again}"


def _says(known: dict[str, Any]) -> str:
    if known["pid"]:
        return str(known["says"])
    waits = known["socket"].startswith("active")
    return "nothing; it comes with the next session" if waits else "nothing"


def _host(known: dict[str, Any]) -> str:
    host = known["host"]
    if host is None:
        return "none"
    mine = host["pid"] == known["pid"]
    return "the service" if mine else f"{host['kind']}, pid {host['pid']}: not the service"


def _complaints(known: dict[str, Any]) -> list[str]:
    wrong = []
    if known["outdated"]:
        files = " and ".join(known["outdated"])
        wrong.append(
            f"{files} would be written otherwise now; `attend service install` does so"
        )
    if known["state"].startswith("failed"):
        wrong.append("it has failed and is not tried again; see `attend service logs`")
    host = known["host"]
    if known["pid"] and host is not None and host["pid"] != known["pid"]:
        wrong.append(
            "the service runs and another process is the host: do both mean one folder?"
        )
    return wrong


def _outdated() -> list[str]:
    """Name the unit files of ours that are not as this release would write them here."""
    there = {name: units.folder() / name for name in NAMES}
    wanted = {name: text.encode() for name, text in units.filled().items()}
    return [n for n, path in there.items() if path.exists() and path.read_bytes() != wanted[n]]


def _write(wanted: dict[str, str]) -> list[Path]:
    """Write what differs, each file whole or not at all; return which."""
    written = []
    for name, text in wanted.items():
        path = units.folder() / name
        try:
            if path.exists() and path.read_bytes() == text.encode():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = path.with_name(f".{name}.new")
            fresh.write_bytes(text.encode())
            fresh.replace(path)
        except OSError as error:
            raise AttendError(f"{path} can't be written: {error.strerror}") from None
        written.append(path)
    return written


def _start() -> None:
    """Start the service, and wait until it serves.

    Raises:
        AttendError: it does not.
    """
    _forget_failures()
    try:
        manager.run("start", *NAMES)
    except AttendError:
        if manager.shown().get("ExecMainStatus") != str(HostRunningError.exit_code):
            raise
        raise AttendError(
            "an `attendd` that was started by hand is the host, so the service can't be",
            hint="end it; the service then comes with the next session",
        ) from None


def _running(service: dict[str, str]) -> str:
    return f"pid {service.get('MainPID', '?')}, {service.get('StatusText') or 'no status yet'}"


def _forget_failures() -> None:
    """Have systemd count its attempts anew: it was a person who asked for this one."""
    for name in NAMES:
        if manager.shown(name).get("ActiveState") == "failed":
            manager.run("reset-failed", name)


def _tidy(folder: Path) -> None:
    """Remove what folders of ours are empty now."""
    for each in (folder, folder.parent):
        try:
            each.rmdir()
        except OSError:  # it is not empty, or not there
            return


def _log_words(args: argparse.Namespace) -> list[str]:
    found = ["--output=json"] if args.json else []
    if args.follow:
        found.append("--follow")
    if args.since:
        found.append(f"--since=-{args.since:.0f}s")
    if args.last or not args.since:
        found.append(f"--lines={args.last or LINES}")
    return found
