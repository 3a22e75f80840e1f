"""What the configuration file may say: the structs are schema, defaults and documentation."""

from typing import Annotated, Any, Literal

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
it flood a session nor keep the processor busy. ``None`` stands for true and false: it may turn
a sensor off, and not on again which its user has turned off.
"""

PROJECT_SWITCHES: dict[str, dict[str, str]] = {
    "memory": {"enabled": "`attend memory on` turns it on for this project"}
}
"""The keys of other sections that it may turn off, and what a person does to turn them on.

Who has cloned a repository has not agreed to have what is said there recorded.
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


Name = Annotated[str, msgspec.Meta(pattern=r"\A#?[A-Za-z0-9][A-Za-z0-9._-]{0,39}\Z")]
Most = Annotated[int, msgspec.Meta(ge=0)]


class Memory(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What sessions of a project remember for each other: facts that they emit in tags.

    Attributes:
        enabled: whether projects have a memory. `attend memory on` and `off` say it of one
            project; that project's own file may turn it off.
        namespace: the beginning of the tags, as in ``<attend:percept:…>``.
        consumers: names of agents and channels (``#deploy``) that a fact may be addressed to.
        show: what the person sees of facts that were put before the model: nothing, a summary,
            or all of them.
        hide_tags: whether tags are taken out of what the person sees as it is written, where
            the plugin ``attend-memory`` is enabled. Text then appears line by line; nothing of
            it is lost, and a failure shows it all.
        max_facts: how many facts a session is shown at once; 0: any number.
        max_bytes: how many bytes of facts it is shown at once.
        per_turn: how many facts a session may record under one prompt; 0: any number.
        per_session: the same in all.
        kept_facts: how many facts a project keeps besides those a person wished for; those that
            weigh least are archived. 0: any number.
        archive_after: a fact that was neither shown nor used in so many sessions is archived;
            0: never.
        turns: after so many prompts a session is taught anew how to record facts, where the
            distance is not known in tokens; 0: any number.
        growth_bytes: the same for what has come into its context, in bytes.
    """

    enabled: bool = False
    namespace: Annotated[str, msgspec.Meta(pattern=r"\A[a-z][a-z0-9]{0,15}\Z")] = "attend"
    consumers: tuple[Name, ...] = ()
    show: Literal["off", "summary", "full"] = "summary"
    hide_tags: bool = True
    max_facts: Most = 25
    max_bytes: Annotated[int, msgspec.Meta(ge=0, le=4_096)] = 2_048
    per_turn: Most = 20
    per_session: Most = 200
    kept_facts: Most = 1_000
    archive_after: Most = 30
    turns: Most = 20
    growth_bytes: Most = 40_000


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole of ``config.toml``. Every key has a default; an empty file is valid.

    Attributes:
        governor: how often a session is told of what happens around it.
        messages: how often a session is shown what was written to it.
        engagement: how a sensor that has said much falls silent for a while.
        context: where the context gauge comes from.
        memory: what sessions of a project remember for each other.
        sensors: what the files say of each sensor; checked with each sensor's own struct.
    """

    governor: Governor = Governor()
    messages: Messages = Messages()
    engagement: Engagement = Engagement()
    context: Context = Context()
    memory: Memory = Memory()
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
