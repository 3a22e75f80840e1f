"""The hooks a plugin can implement.

The reference in ``docs/hooks.md`` is generated from these docstrings: the first
line becomes the summary, *Args* the table, *Example* a whole module, which the tests install.
"""

from collections.abc import Iterable

import pluggy

from attendd.api import Component, Observation, SensorType

hookspec = pluggy.HookspecMarker("attend")


@hookspec
def attend_sensors() -> Iterable[SensorType]:
    """Offer kinds of sensor to the host.

    Called when the host starts, before the configuration is checked, so that a sensor's own
    keys can be checked with it; and by each command that looks at sensors or checks the
    configuration, as `attend status`, in its own process. Do no work here.

    Returns:
        One `SensorType` for each kind. The host builds a sensor from every kind that
        is enabled, one per attended session.

    Example:
        from pathlib import Path

        from attendd.api import Observation, SensorConfig, SensorType, hookimpl


        class Reboot:
            def __init__(self, config):
                self._was_due = False

            async def poll(self, focus):
                was_due, self._was_due = self._was_due, Path("/run/reboot-required").exists()
                if was_due or not self._was_due:
                    return []
                return [Observation(text="a restart of the machine became due", topic="reboot")]


        @hookimpl
        def attend_sensors():
            return [SensorType("reboot", "a restart became due", SensorConfig, Reboot)]
    """
    raise NotImplementedError


@hookspec
def attend_disclosures() -> Iterable[Component]:
    """Offer texts that teach a session how to use something.

    Called whenever `attend_sensors` is: when the host starts, and by commands that look. Do no
    work here. A component is told when its part of attend is first in use, and again each time
    a quarter of the context window has gone by.

    Returns:
        One `Component` for each text; one that is over 12 lines or 1,100 characters is
        set aside with that reason.

    Example:
        from attendd.api import Component, hookimpl


        @hookimpl
        def attend_disclosures():
            return [Component(id="deploy", text="Deploys are announced in #deploy.")]
    """
    raise NotImplementedError


@hookspec
def attend_emitted(session: str, observations: tuple[Observation, ...]) -> None:
    """Hear what was just told to a session.

    Called on the event loop, once for each batch of what sensors have observed: as soon as
    it is in the store for the session's reader, or, where a hook of its client showed it,
    once the host knows of that, which may be minutes later. It cannot veto or change the
    batch, and must return within 100 ms; a slower plugin hands the work to a thread. One that
    takes over 10 s is ended, and not called again until another host starts.

    It is not called for what other sessions and people say in messages, for what hooks show
    without the host (how to use attend at the start of a session, what is remembered), nor
    for what a hook showed if the session ended before the host knew of it. It is not taken
    back where a reader never shows what it was given.

    Args:
        session: the id of the session that was told.
        observations: the batch in the order it was shown; never empty.

    Example:
        from collections import Counter

        from attendd.api import hookimpl

        heard = Counter()


        @hookimpl
        def attend_emitted(session, observations):
            heard[session] += len(observations)
    """
