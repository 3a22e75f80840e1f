"""Plugins do the worst they can: each is set aside, that is said, and everything else goes on."""

import json
import os
import pty
import signal
import subprocess
import textwrap

from tests.process.box import HOT, Box, Reading, eventually
from tests.process.plugging import Plugged, sensor

TOLD = "return [Observation(topic='t', text='strange news', magnitude=5)]"
POLLS = {
    "raises": ("raise ValueError('no such thing')", "ValueError: no such thing"),
    "exits": ("sys.exit('bye')", "SystemExit: bye"),
    "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "cancels": ("raise asyncio.CancelledError", "CancelledError"),
    "several": ("raise BaseExceptionGroup('two', [SystemExit(1)])", "BaseExceptionGroup: two"),
    "hangs": ("await asyncio.sleep(1e6)", "no answer within 0.5 s"),
    "threads": (
        "from anyio import to_thread\nawait to_thread.run_sync(time.sleep, 1e6)",
        "no answer within 0.5 s, and what it waits for can't be cancelled",
    ),
    "blocks": ("time.sleep(1e6)", "it held everything up for over 0.5 s"),
    "computes": ("while True: pass", "it held everything up for over 0.5 s"),
    "nothing": ("return None", "TypeError: poll returned None; it must be a list"),
    "number": ("return 5", "TypeError: poll returned an object of type int; it must be a list"),
    "others": (
        "return ['t']",
        "TypeError: poll returned a list with an object of type str in it",
    ),
    "text": ("return 't'", "TypeError: poll returned an object of type str; it must be a list"),
    "unbounded": (TOLD.replace("5", "1e9"), "ValidationError: Expected `float` <= 10.0"),
    "untold": (TOLD.replace("strange news", " "), "ValueError: poll returned an observation"),
    "floods": (TOLD + " * 5000", "ValueError: poll returned 5,000 observations"),
    "swallows": (
        """
        while True:
            try:
                await asyncio.sleep(1e6)
            except BaseException:
                pass
        """,
        "it can't be ended",
    ),
}
SENSORS = {
    "awaitless": ("def poll(self, focus): return []", "TypeError: poll is not async"),
    "unbuilt": (
        "def __new__(cls, config): raise ValueError('b')",
        "it can't be built: ValueError: b",
    ),
}
BESIDES = {
    "watchless": (
        "def watches(self): raise ValueError('w')",
        "what it wants watched is not known: ValueError: w",
    ),
    "watchful": (
        "def watches(self): return [5, 'relative']",
        "what it wants watched is not known: TypeError: ",
    ),
    "forgets": (
        "def snapshot(self): sys.exit('s')\ndef restore(self, state): pass",
        "its last look can't be handed on: SystemExit: s",
    ),
    "unkept": (
        "def snapshot(self): return object()\ndef restore(self, state): pass",
        "its last look can't be handed on: TypeError: Encoding objects",
    ),
}
FLOOD = """
    self.n = getattr(self, "n", 0) + 1
    return [Observation(text=f"{self.n} {n} " + "x" * 3000, magnitude=4) for n in range(100)]
"""
HOOKS = "from attendd.api import hookimpl\n@hookimpl\n"
PLUGINS = {
    "missing": ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
    "syntax": ("def", "SyntaxError: "),
    "leaves": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "hookless": ("", "TypeError: it implements no hook; is @hookimpl missing?"),
    "unheard": (HOOKS + "def attend_everything(): pass", "there is no hook attend_everything"),
    "unlike": (
        HOOKS + "def attend_sensors(more): pass",
        "attend_sensors is not called with more",
    ),
    "divides": (HOOKS + "def attend_sensors(): 1 / 0", "ZeroDivisionError: division by zero"),
    "hasty": (
        sensor("hasty", "async def poll(self, focus): return []").replace("0.5", "0.0"),
        "its config has a default that is out of bounds: Expected `float` > 0.0",
    ),
}


def poll(body: str) -> str:
    """Write a method."""
    return "async def poll(self, focus):\n" + textwrap.indent(textwrap.dedent(body), "    ")


def served(box: Box, plugged: Plugged) -> Reading:
    """See a session being taught and told of its repository, whatever the plugins do."""
    box.open_gates()
    project = box.repository()
    reading = plugged.reader(project, "--as=me")
    reading.out.until("`attend run` belongs")
    box.looked()
    box.git(project, "switch", "-q", "-c", "feat/x")
    reading.out.until("branch changed: main → feat/x")
    return reading


def ended(box: Box, reading: Reading) -> None:
    """End a reader as a client does; nothing stays."""
    assert reading.kill(signal.SIGTERM) == 0
    assert list((box.home / "attend" / "run").iterdir()) == []


def test_sensors_that_fail_are_said_to_and_keep_nothing_else_from_working(box: Box) -> None:
    bad = {name: (poll(body), said) for name, (body, said) in POLLS.items()} | SENSORS
    plugged = Plugged(box, {name: sensor(name, code) for name, (code, _) in bad.items()})
    reading = served(box, plugged)

    for _, said in bad.values():
        box.journalled("failing", said)

    for name, said in plugged.failing().items():
        assert said.startswith((bad[name][1], "an earlier poll has not ended"))
    eventually(lambda: plugged.failing().keys() == bad.keys())
    assert plugged.run("sensors").count("failing for") == len(bad)
    ended(box, reading)


def test_a_person_is_told_in_a_sentence_and_who_wrote_the_sensor_where_it_failed(
    box: Box,
) -> None:
    raising = "def deep(self): raise ValueError('no such thing')\n" + poll("self.deep()")
    plugged = Plugged(box, {"broken": sensor("broken", raising), "gone": "import nowhere"})
    said = on_a_terminal(box, plugged)

    (line,) = [each for each in said if "broken" in each]
    assert "a sensor began to fail" in line
    assert "`attend sensors broken` shows where" in line
    assert "ValueError: no such thing" in line
    assert "Traceback" not in str(said)
    shown = plugged.run("sensors", "broken").splitlines()
    trace = shown[shown.index("  Traceback (most recent call last):") :]
    assert trace[1].startswith(f'    File "{box.home}/strange/broken.py", line ')
    assert trace[-1] == "  ValueError: no such thing"
    assert not any("peers" in each for each in shown)
    gone = plugged.run("sensors", "gone").splitlines()
    assert "import nowhere" in [each.strip() for each in gone]
    known = json.loads(plugged.run("sensors", "broken", "--json"))
    assert known["failed"]["traceback"].endswith("ValueError: no such thing")
    assert "Traceback" not in plugged.run("log")


def on_a_terminal(box: Box, plugged: Plugged) -> list[str]:
    """Run `attend run` at a terminal until a sensor has failed; return what it said there."""
    ours, theirs = pty.openpty()
    words = [plugged.python, "-I", "-S", str(HOT), "run", "--as=me"]
    with subprocess.Popen(
        words,
        cwd=box.repository(),
        env=box.env | {"NO_COLOR": "1"},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        box.journalled("failing", "no such thing")
        process.terminate()
        said = b""
        try:
            while more := os.read(ours, 4096):
                said += more
        except OSError:  # how Linux says that the other side is gone
            pass
    os.close(ours)
    return said.decode().splitlines()


def test_what_else_a_sensor_does_wrong_keeps_nothing_of_it_back(box: Box) -> None:
    codes = {name: f"{poll(TOLD)}\n{methods}\n" for name, (methods, _) in BESIDES.items()}
    plugged = Plugged(box, {name: sensor(name, code) for name, code in codes.items()})

    reading = served(box, plugged)

    for name, (_, said) in BESIDES.items():
        box.journalled("ok", said)
        line = f"[attend sensor={name} priority=high] strange news"
        if line not in reading.out.seen:
            reading.out.until(line)
    ended(box, reading)


def test_a_sensor_that_floods_is_named_and_keeps_no_other_from_being_heard(box: Box) -> None:
    plugged = Plugged(box, {"floody": sensor("floody", poll(FLOOD))})

    reading = served(box, plugged)  # the teaching and the repository's line

    box.journalled("flooding", "it says more than one thing a second")
    box.looked(sensor="floody")
    eventually(lambda: "flooding" in plugged.run("sensors"))
    problems = json.loads(plugged.run("status", "--json"))["problems"]
    assert any("sensor floody of as:me floods" in problem for problem in problems)
    ended(box, reading)


def test_what_explains_the_lines_is_the_first_of_them_whatever_floods(box: Box) -> None:
    plugged = Plugged(box, {"floody": sensor("floody", poll(FLOOD))})

    reading = plugged.reader(box.repository(), "--as=me")  # with the pauses that are usual

    assert reading.out.line().startswith("[attend sensor=disclosure priority=high] ")
    box.looked(sensor="floody")
    ended(box, reading)


def test_plugins_that_do_not_fit_are_set_aside(box: Box) -> None:
    plugged = Plugged(box, {name: code for name, (code, _) in PLUGINS.items()})
    reading = served(box, plugged)

    status, sensors = plugged.run("status"), plugged.run("sensors")

    for name, (_, said) in PLUGINS.items():
        assert f"plugin {name} was set aside: {said}" in status.replace(f"{name}/{name}", name)
        assert said in sensors
    ended(box, reading)


def test_nothing_that_a_plugin_prints_reaches_the_session(box: Box) -> None:
    noise = """
    print("NOISE")
    os.write(1, b"NOISE\\n")
    sys.__stdout__.write("NOISE\\n")
    sys.__stdout__.flush()
    os.system("echo NOISE")
    """
    code = "print('NOISE')\n" + sensor("noisy", poll(noise + TOLD))

    reading = served(box, Plugged(box, {"noisy": code}))

    assert any("strange news" in line for line in reading.out.seen)
    ended(box, reading)
    assert not any("NOISE" in line for line in [*reading.out.seen, *reading.out.end()])


def test_a_plugin_that_can_not_be_stopped_does_not_stop_the_end(box: Box) -> None:
    """It swallows whatever is raised in it, so the loop stands still; mail is still read."""
    stuck = """
    while True:
        try:
            Path(os.environ["HOME"], "stuck").touch()
            time.sleep(1e6)
        except BaseException:
            pass
    """
    plugged = Plugged(box, {"stuck": sensor("stuck", poll(stuck))})

    is_read_and_ends(box, plugged)


def test_an_import_that_never_ends_does_not_keep_the_session_from_its_mail(box: Box) -> None:
    code = "import os, time\nopen(os.environ['HOME'] + '/stuck', 'w')\ntime.sleep(1e6)\n"

    is_read_and_ends(box, Plugged(box, {"stuck": code}))


def is_read_and_ends(box: Box, plugged: Plugged) -> None:
    """See mail come and the process go though a plugin is stuck."""
    reading = plugged.reader(box.repository(), "--as=me")
    eventually((box.home / "stuck").exists)
    done = box.hot("send", "--to", "me", "still there?")
    assert done.returncode == 0, done.stderr
    reading.out.until("still there?")
    ended(box, reading)
