"""What the configuration file may say: the structs are schema, defaults and documentation."""

from typing import Any, Literal

import msgspec

from attendd.engine.settings import Engagement, EngineSettings, Governor
from attendd.engine.settings import Messages as Pace
from attendd.model import Seconds

PROJECT_BOUNDS: dict[str, tuple[float, float] | None] = {
    "enabled": None,
    "threshold": (0.5, 10.0),
    "interval_s": (10.0, 3600.0),
    "min_interval_s": (5.0, 3600.0),
    "decay_threshold": (1.0, 100.0),
}
"""The keys of a sensor that a project's file may set, and from where to where.

A repository is somebody else's text: it may make a sensor quieter or livelier, but neither let
it flood a session nor keep the processor busy. ``None`` stands for true and false.
"""


class Messages(Pace, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often a session is shown what was written to it, and what its person sees of that.

    Attributes:
        show_hooks: what the person sees of that which a hook put before the model: nothing, a
            summary, or all of it. At a turn's end the client shows it by itself.
    """

    show_hooks: Literal["off", "summary", "full"] = "summary"


class Context(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a session's context gauge is read, if not from its transcript.

    Attributes:
        command: a program with its arguments that prints a gauge as ``attend context --json``
            does; empty means that attend reads the transcript itself.
        ttl_s: how long its answer counts before it is run again, in seconds.
    """

    command: str = ""
    ttl_s: Seconds = 20.0


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole of ``config.toml``. Every key has a default; an empty file is valid.

    Attributes:
        governor: how often a session is told of what happens around it.
        messages: how often a session is shown what was written to it.
        engagement: how a sensor that has said much falls silent for a while.
        context: where the context gauge comes from.
        sensors: what the files say of each sensor; checked with each sensor's own struct.
    """

    governor: Governor = Governor()
    messages: Messages = Messages()
    engagement: Engagement = Engagement()
    context: Context = Context()
    sensors: dict[str, dict[str, Any]] = {}


def engine_settings(config: Config, gap_s: float = 0.0) -> EngineSettings:
    """Return the part of the configuration that the engine needs.

    Args:
        config: what is in force.
        gap_s: the pause between two batches of events that a session is given beyond that, in
            seconds; 0: none.
    """
    governor = config.governor
    if gap_s > 0:
        governor = msgspec.structs.replace(governor, max_batches=1, window_s=gap_s, gap_s=gap_s)
    return EngineSettings(
        governor=governor, messages=config.messages, engagement=config.engagement
    )
