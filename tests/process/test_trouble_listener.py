"""Plugins that listen do it badly: each is named, and what hangs is left out from then on."""

import json

from tests.process.box import Box, eventually
from tests.process.plugging import Plugged, sensor
from tests.process.test_trouble_plugin import ended, poll, served

LISTENER = """
import time
from pathlib import Path
from attendd import registry
from attendd.api import hookimpl

registry.FOREIGN_S = 0.4  # what takes ten seconds is not waited for here

@hookimpl
def attend_emitted(session, observations):
    with Path(__file__).with_suffix(".heard").open("a") as heard:
        heard.write(f"{session}\\n")
    {body}
"""


def test_a_listener_that_hangs_or_raises_is_named_and_the_former_is_not_called_again(
    box: Box,
) -> None:
    codes = {"hangs": "time.sleep(1e6)", "raises": "raise ValueError('deaf')", "well": "pass"}
    plugged = Plugged(box, {n: LISTENER.replace("{body}", c) for n, c in codes.items()})
    reading = served(box, plugged)
    heard = {name: box.home / "strange" / f"{name}.heard" for name in codes}
    eventually(lambda: heard["well"].read_text().count("as:me") >= 2)
    said = {
        "hangs": "attend_emitted failed: it held everything up for over 0.4 s; it is not called"
        " any more, until another host starts",
        "raises": "attend_emitted failed: ValueError: deaf",
    }

    status, sensors, log = (plugged.run(word) for word in ("status", "sensors", "log"))
    alone = {name: plugged.run("sensors", name) for name in codes}

    for name, why in said.items():
        line = f"plugin {name}: {why}\n"
        assert status.count(line) == sensors.count(line) == alone[name].count(line) == 1
        assert why.partition(";")[0] in log
        assert f"strange/{name}.py" in alone[name]
    assert heard["hangs"].read_text().count("as:me") == 1
    assert "to be looked at" not in alone["well"]
    assert "plugins" in alone["well"]
    ended(box, reading)
    assert "plugin raises" not in plugged.run("status")


def test_a_plugin_is_found_by_its_own_name_too(box: Box) -> None:
    plugged = Plugged(box, {"pack": sensor("parcel", poll("return []"))})

    (known,) = json.loads(plugged.run("sensors", "pack", "--json"))["plugins"]
    shown = plugged.run("sensors", "pack")

    assert (known["plugin"], known["sensors"], known["listens"]) == ("pack", ["parcel"], False)
    assert "is a stranger's" in shown
    assert "peers" not in shown
