"""`attend sensors`: every sensor, how it is set, how it fares, and what it holds back."""

import argparse
from typing import Any

from attendd import registry
from attendd.api import Component, SensorConfig, SensorType
from attendd.cli import arguments, now, output, reasons, troubles, words
from attendd.cli.config import in_force
from attendd.cli.state import State
from attendd.errors import UsageError
from attendd.hot import identity, near
from attendd.store import Health

_BEFORE = 5_000
"""Entries of the journal on how a sensor fares, among which the last failure is looked for."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "name",
        nargs="?",
        default="",
        metavar="NAME",
        help="only this one, or this plugin; and where it failed last, as a traceback",
    )
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Say how the sensors are doing.

    Raises:
        UsageError: there is no such sensor, nor a plugin of that name.
    """
    known = collected()
    if args.name:
        known = _alone(known, args.name)
    if args.json:
        output.document(known)
        return 0
    output.rows("", _SETTINGS, [_settings_row(s) for s in known["sensors"]])
    for session in known["sessions"]:
        title = f"in {words.short(session['session'])} ({words.place(session['workdir'])})"
        output.rows(title, _HEALTH, [_health_row(row) for row in session["sensors"]])
    if args.name:
        output.rows("plugins", _PLUGINS, [_plugin_row(each) for each in known["plugins"]])
    if known["sensors"] and not known["sessions"]:
        print("\nno session is attended now, so none of them looks")
    output.complaints(
        [
            *([known["host"]] if known["host"] else []),
            *(f"plugin {r['plugin']}: {r['reason']}" for r in known["rejected"]),
            *(f"plugin {p['plugin']}: {p['fault']}" for p in known["plugins"] if p["fault"]),
            *(_LACKING.format(name) for name in known["lacking"]),
            *troubles.limited(row for each in known["sessions"] for row in each["sensors"]),
        ]
    )
    if args.name:
        _print_traces(known)
    return 0


def collected() -> dict[str, Any]:
    """Collect everything, under the keys that `--json` prints."""
    caller = identity.resolve()
    state = State()
    loaded = registry.load()
    settings = in_force(loaded.sensors)
    sensors = [
        _settings(kind, settings.sensor_config(name)) for name, kind in loaded.sensors.items()
    ]
    host = state.host()
    said = now.asked(host, "top", now.BRIEFLY_S)
    health = {
        reader: now.sensors(said).get(reader.id) or state.store.health.of(reader.id)
        for reader in state.near(caller)
    }
    looking = {row.sensor for rows in health.values() for row in rows}
    enabled = [each["sensor"] for each in sensors if each["enabled"]]
    return {
        "host": troubles.stopped_host(host) or said.problem,
        "sensors": sensors,
        "plugins": _plugins(loaded, state.store.health.of_listeners() if host else {}),
        "sessions": [
            {
                "session": reader.session,
                "workdir": reader.workdir,
                "sensors": [_health(row) for row in rows],
            }
            for reader, rows in health.items()
        ],
        "lacking": [name for name in enabled if looking and name not in looking],
        "rejected": [
            {"plugin": r.name, "reason": r.reason, "traceback": r.detail}
            for r in loaded.rejected
        ],
    }


def _plugins(loaded: registry.Registry, faults: dict[str, str]) -> list[dict[str, Any]]:
    """Return the plugins that fit, what each is here for, and what is wrong with it now."""
    found = []
    for name, _ in loaded.manager.list_name_plugin():
        brought = loaded.brought.get(name, ())
        plugin = {
            "plugin": name,
            "sensors": [each.name for each in brought if isinstance(each, SensorType)],
            "texts": [each.id for each in brought if isinstance(each, Component)],
            "listens": loaded.listens(name),
            "fault": faults.get(name, ""),
        }
        found.append(plugin)
    return found


def _alone(known: dict[str, Any], name: str) -> dict[str, Any]:
    """Keep what is about one sensor or plugin, and add where it failed last.

    Raises:
        UsageError: there is none of that name.
    """
    plugins = [each for each in known["plugins"] if each["plugin"] == name]
    names = {name, *(sensor for each in plugins for sensor in each["sensors"])}
    sensors = [each for each in known["sensors"] if each["sensor"] in names]
    rejected = [each for each in known["rejected"] if name in each["plugin"].split("/")]
    if not sensors and not rejected and not plugins:
        raise _nobody(known, name)
    sessions = [
        session | {"sensors": [row for row in session["sensors"] if row["sensor"] in names]}
        for session in known["sessions"]
    ]
    return {
        "host": known["host"],
        "sensors": sensors,
        "plugins": plugins,
        "sessions": [session for session in sessions if session["sensors"]],
        "lacking": [each for each in known["lacking"] if each in names],
        "rejected": rejected,
        "failed": _failed_last(names),
    }


def _nobody(known: dict[str, Any], name: str) -> UsageError:
    there = [each["sensor"] for each in known["sensors"]]
    others = [each["plugin"] for each in [*known["plugins"], *known["rejected"]]]
    meant = near.suggest(name, [*there, *others], 1)
    hint = f"did you mean {meant[0]}?" if meant else f"there are {', '.join(there)}"
    return UsageError(f"sensors: there is no sensor or plugin {name!r}", hint=hint)


def _failed_last(names: set[str]) -> dict[str, Any] | None:
    """Return the last failure, of one of these, of which the journal has the traceback."""
    journal = State().journal()
    rows = [r for name in names for r in journal.recent(_BEFORE, sensor=name, kind="health")]
    rows.sort(key=lambda row: row.at)
    return next(
        (
            {"at": r.at, "session": r.session, "text": r.text, "traceback": r.detail}
            for r in reversed(rows)
            if r.detail
        ),
        None,
    )


def _print_traces(known: dict[str, Any]) -> None:
    """Print what was raised, whole."""
    failed = known["failed"]
    if failed is not None:
        who, when = words.short(failed["session"]), words.moment(failed["at"])
        output.lines(f"{when}, in {who}: {failed['text']}", failed["traceback"])
    for each in known["rejected"]:
        if each["traceback"]:
            output.lines(f"plugin {each['plugin']} was set aside", each["traceback"])


def _settings(kind: SensorType, config: SensorConfig) -> dict[str, Any]:
    return {
        "sensor": kind.name,
        "summary": kind.summary,
        "enabled": config.enabled,
        "interval_s": config.interval_s,
        "min_interval_s": config.min_interval_s,
        "threshold": config.threshold,
    }


def _health(row: Health) -> dict[str, Any]:
    return {
        "sensor": row.sensor,
        "state": row.state,
        "since_at": row.since_at,
        "failures": row.failures,
        "detail": row.detail,
        "polled_at": row.polled_at,
        "next_at": row.next_at,
        "told": row.told,
        "pending": row.pending,
        "threshold": row.threshold,
        "held": row.held,
    }


_LACKING = "{}: the running host does not have it; restart attendd, or each `attend run`"
_PLUGINS = ("plugin", "sensors", "texts", "hears what is told")
_SETTINGS = ("sensor", "looks every", "threshold", "says")
_HEALTH = ("sensor", "state", "looked", "told", "pending", "held by")


def _settings_row(sensor: dict[str, Any]) -> list[str]:
    pace = f"{words.number(sensor['min_interval_s'])} to {words.number(sensor['interval_s'])} s"
    return [
        sensor["sensor"],
        pace if sensor["enabled"] else "off",
        words.number(sensor["threshold"]),
        sensor["summary"],
    ]


def _plugin_row(plugin: dict[str, Any]) -> list[str]:
    offered = [", ".join(plugin[key]) for key in ("sensors", "texts")]
    return [plugin["plugin"], *offered, "yes" if plugin["listens"] else "no"]


def _health_row(row: dict[str, Any]) -> list[str]:
    state = row["state"]
    if row["detail"]:
        why = row["detail"].partition("; ")[0] if state == "limited" else row["detail"]
        state = f"{state} {words.lasting(row['since_at'])}: {why}"
    pending = ""
    if row["pending"] or row["held"]:
        pending = words.of_enough(row["pending"], row["threshold"])
    return [
        row["sensor"],
        state,
        words.ago(row["polled_at"]),
        str(row["told"]),
        pending,
        "; ".join(reasons.said(code) for code in row["held"].replace(",", " ").split()),
    ]
