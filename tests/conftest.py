"""Settings of every test."""

import contextlib
import importlib
import os
import signal

import pytest
from hypothesis import settings

# A busy machine must not fail a property, so no example is timed.
settings.register_profile("attend", deadline=None, print_blob=True, max_examples=50)
settings.register_profile("torture", settings.get_profile("attend"), max_examples=1000)
settings.load_profile("torture" if os.environ.get("ATTEND_TORTURE") == "1" else "attend")

# What a shell starts in the background ignores them, and so would all that the tests interrupt.
for number, handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)


def pytest_configure(config: pytest.Config) -> None:
    """Have each of several workers compile its share of the tests, and find the rest compiled."""
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    names = sorted((config.rootpath / "tests").rglob("test_*.py"))
    for path in names[int(worker["workerid"][2:]) :: worker["workercount"]]:
        with contextlib.suppress(Exception):  # it is told when the file is collected
            name = path.relative_to(config.rootpath).with_suffix("")
            importlib.import_module(".".join(name.parts))
