"""`attend sensors`: every sensor, how it is set, how it fares, and what it holds back."""

import argparse
from typing import Any

from attendd import registry
from attendd.api import SensorConfig, SensorType
from attendd.cli import arguments, now, output, reasons, words
from attendd.cli.config import in_force
from attendd.cli.state import State
from attendd.hot import identity
from attendd.store import Health


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Say how the sensors are doing."""
    known = collected()
    if args.json:
        output.document(known)
        return 0
    output.rows("", _SETTINGS, [_settings_row(s) for s in known["sensors"]])
    for session in known["sessions"]:
        title = f"in {words.short(session['session'])} ({words.place(session['workdir'])})"
        output.rows(title, _HEALTH, [_health_row(row) for row in session["sensors"]])
    if not known["sessions"]:
        print("\nno session is attended now, so none of them looks")
    output.complaints(
        [
            *(f"plugin {r['plugin']}: {r['reason']}" for r in known["rejected"]),
            *(_LACKING.format(name) for name in known["lacking"]),
        ]
    )
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
    said = now.sensors(now.asked(state.host(), "top", now.BRIEFLY_S))
    health = {
        reader: said.get(reader.id) or state.store.health.of(reader.id)
        for reader in state.near(caller)
    }
    looking = {row.sensor for rows in health.values() for row in rows}
    enabled = [each["sensor"] for each in sensors if each["enabled"]]
    return {
        "sensors": sensors,
        "sessions": [
            {
                "session": reader.session,
                "workdir": reader.workdir,
                "sensors": [_health(row) for row in rows],
            }
            for reader, rows in health.items()
        ],
        "lacking": [name for name in enabled if looking and name not in looking],
        "rejected": [{"plugin": r.name, "reason": r.reason} for r in loaded.rejected],
    }


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


def _health_row(row: dict[str, Any]) -> list[str]:
    state = row["state"]
    if row["detail"]:
        state = f"{state} {words.lasting(row['since_at'])}: {row['detail']}"
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
