"""Finds plugins by entry point and sets aside, with its reason, whatever does not fit.

Built-in sensors and texts come through the same group as a stranger's. One broken plugin never
keeps the others, or the host, from running.
"""

import contextlib
import inspect
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import msgspec
import pluggy
from pluggy import HookImpl

from attendd import hookspecs, offers, points
from attendd.api import Component, Observation, SensorType
from attendd.guard import Blocked, Foreign, ForeignError
from attendd.hot import near
from attendd.points import Point

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "attend"
EMITTED_S = 0.1
"""How long `attend_emitted` of one plugin may take before that is worth a word."""

FOREIGN_S = 10.0
"""How long a plugin may take to be imported, to say what it offers, or to listen."""

NO_MORE = "; it is not called any more, until another host starts"
"""What becomes of a listener that had to be ended: it would hold everything up each time."""

_OURS = "attendd"
_HOOKS = sorted(name for name in vars(hookspecs) if name.startswith("attend_"))


class Rejected(msgspec.Struct, frozen=True):
    """Something a plugin brought that was set aside.

    Attributes:
        name: the plugin's entry point, and after a slash what of it, if not all.
        reason: why, in one line.
        detail: the traceback where there was one, for the log.
    """

    name: str
    reason: str
    detail: str = ""


class Registry:
    """What the installed plugins offer.

    Attributes:
        manager: the pluggy manager that holds the plugins that fit.
        sensors: kinds of sensor by name, built-in ones first.
        components: texts to teach, in the order they are taught.
        rejected: what was set aside.
        brought: what each plugin offers of both.
        faulty: what is wrong now with plugins that listen, by the plugin.
    """

    def __init__(self, manager: pluggy.PluginManager) -> None:
        self.manager = manager
        self.sensors: dict[str, SensorType] = {}
        self.components: list[Component] = []
        self.rejected: list[Rejected] = []
        self.brought: dict[str, list[SensorType | Component]] = {}
        self.faulty: dict[str, Rejected] = {}
        self._complained: set[str] = set()
        self._ended: set[str] = set()

    def emitted(self, session: str, observations: tuple[Observation, ...]) -> list[Rejected]:
        """Call `attend_emitted` of every plugin, each on its own, unless it is of nothing.

        One that had to be ended is not called again.

        Returns:
            What failed or took over 100 ms; each plugin is named once in this registry's life.
        """
        for plugin in self._implementing("attend_emitted"):
            if observations and plugin.plugin_name not in self._ended:
                self._emit(plugin, session, observations)
        new = [each for name, each in self.faulty.items() if name not in self._complained]
        self._complained.update(self.faulty)
        return new

    def _emit(
        self, plugin: HookImpl, session: str, observations: tuple[Observation, ...]
    ) -> None:
        """Call one, and keep in `faulty` how that went."""
        name, started = plugin.plugin_name, time.perf_counter()
        self.faulty.pop(name, None)
        try:
            with Foreign(FOREIGN_S):
                _call(plugin, {"session": session, "observations": observations})
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            self.faulty[name] = self._unheard(name, error)
            return
        taken_s = time.perf_counter() - started
        if taken_s > EMITTED_S:
            reason = f"attend_emitted took {taken_s * 1000:,.0f} ms; it may take 100"
            self.faulty[name] = Rejected(name, reason)

    def _unheard(self, name: str, error: Exception) -> Rejected:
        said = _rejected(name, error)
        if ended := _is_ended(error):
            self._ended.add(name)
        reason = f"attend_emitted failed: {said.reason}{NO_MORE if ended else ''}"
        return Rejected(name, reason, said.detail)

    def listens(self, plugin: str) -> bool:
        """Tell whether a plugin hears what is told."""
        return plugin in {each.plugin_name for each in self._implementing("attend_emitted")}

    def collect(self) -> None:
        """Ask every plugin what it offers, and keep what fits."""
        for plugin in self._implementing("attend_sensors"):
            self._collect(plugin, self._keep_sensor)
        for plugin in self._implementing("attend_disclosures"):
            self._collect(plugin, self._keep_component)
        self.components.sort(key=lambda component: (component.order, component.id))

    def _implementing(self, hook: str) -> list[HookImpl]:
        """Return a hook's implementations in the order they were registered."""
        caller: pluggy.HookCaller = getattr(self.manager.hook, hook)
        return caller.get_hookimpls()

    def _collect(self, plugin: HookImpl, keep: Callable[[str, Any], None]) -> None:
        name = plugin.plugin_name
        try:
            with Foreign(FOREIGN_S):
                found = list(_call(plugin, {}) or ())
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            self.rejected.append(_rejected(name, error))
            self.manager.unregister(plugin.plugin)
            return
        for offer in found:
            keep(name, offer)

    def _keep_sensor(self, plugin: str, offer: object) -> None:
        fault = offers.of_sensor(offer)
        if fault or not isinstance(offer, SensorType):
            self.rejected.append(Rejected(f"{plugin}/{_title(offer, 'name')}", fault))
        elif offer.name in self.sensors:
            reason = "another plugin already offers a sensor of this name"
            self.rejected.append(Rejected(f"{plugin}/{offer.name}", reason))
        else:
            self.sensors[offer.name] = offer
            self.brought.setdefault(plugin, []).append(offer)

    def _keep_component(self, plugin: str, offer: object) -> None:
        fault = offers.of_component(offer)
        if fault or not isinstance(offer, Component):
            self.rejected.append(Rejected(f"{plugin}/{_title(offer, 'id')}", fault))
        elif any(offer.id == component.id for component in self.components):
            reason = "another plugin already offers a component of this id"
            self.rejected.append(Rejected(f"{plugin}/{offer.id}", reason))
        else:
            self.components.append(offer)
            self.brought.setdefault(plugin, []).append(offer)


def load(plugins: "Iterable[EntryPoint | Point] | None" = None) -> Registry:
    """Load every plugin there is, and ask each what it offers.

    Args:
        plugins: the entry points to use; ``None`` means those installed in this environment.
    """
    manager = pluggy.PluginManager("attend")
    manager.add_hookspecs(hookspecs)
    registry = Registry(manager)
    found = points.find(GROUP) if plugins is None else plugins
    with contextlib.redirect_stdout(sys.stderr):  # stdout is for what sessions are told
        for name, point in _named(found):
            if rejected := _register(manager, name, point):
                registry.rejected.append(rejected)
        registry.collect()
    return registry


def _named(
    found: "Iterable[EntryPoint | Point]",
) -> "Iterator[tuple[str, EntryPoint | Point]]":
    """Put our own plugins first, and tell apart those of one name by their distribution."""
    ordered = sorted(found, key=lambda p: (_distribution(p) != _OURS, p.name, _distribution(p)))
    taken: set[str] = set()
    for point in ordered:
        name = point.name if point.name not in taken else f"{point.name}@{_distribution(point)}"
        taken.add(name)
        yield name, point


def _distribution(point: "EntryPoint | Point") -> str:
    return point.dist.name if point.dist else ""


def _register(
    manager: pluggy.PluginManager, name: str, point: "EntryPoint | Point"
) -> Rejected | None:
    try:
        with Foreign(FOREIGN_S):
            plugin: ModuleType = point.load()
        manager.register(plugin, name=name)
        manager.check_pending()
        if not manager.get_hookcallers(plugin):
            raise TypeError("it implements no hook; is @hookimpl missing?")  # noqa: TRY301
        _refuse_kinds(manager, plugin)
    except Exception as error:  # noqa: BLE001 - a plugin may raise anything
        if manager.has_plugin(name):
            manager.unregister(name=name)
        return _rejected(name, error)
    return None


def _refuse_kinds(manager: pluggy.PluginManager, plugin: ModuleType) -> None:
    """Raise if a plugin wants to run around others, or later: each is called by itself here."""
    for caller in manager.get_hookcallers(plugin) or ():
        for impl in caller.get_hookimpls():
            if impl.plugin is plugin and (impl.wrapper or impl.hookwrapper):
                raise TypeError(f"{caller.name} may not be a wrapper")
            if impl.plugin is plugin and inspect.iscoroutinefunction(impl.function):
                raise TypeError(f"{caller.name} may not be async")


def _call(plugin: HookImpl, arguments: dict[str, object]) -> Any:  # noqa: ANN401 - a plugin's
    with contextlib.redirect_stdout(sys.stderr):
        return plugin.function(*(arguments[name] for name in plugin.argnames))


def _rejected(name: str, error: BaseException) -> Rejected:
    said = " ".join(str(error).split())
    if isinstance(error, pluggy.PluginValidationError) and (why := _misfit(said)):
        return Rejected(name, why, "".join(traceback.format_exception(error)))
    named = isinstance(error, ForeignError) or _is_ended(error)  # their messages say it all
    reason = said if named else f"{type(error).__name__}: {said}".removesuffix(": ")
    return Rejected(name, reason, "".join(traceback.format_exception(error)))


def _is_ended(error: BaseException) -> bool:
    """Tell whether it took so long that `Foreign` ended it."""
    return isinstance(error.__cause__, Blocked)


def _misfit(said: str) -> str:
    """Say in our words what pluggy says of a hook; empty where that is something else."""
    if found := re.match(r"unknown hook '(\w+)'", said):
        meant = near.suggest(found[1], _HOOKS, 1)
        mean = f"did you mean {meant[0]}?" if meant else f"there are {', '.join(_HOOKS)}"
        return f"there is no hook {found[1]}; {mean}"
    if found := re.search(r"for hook '(\w+)'.*Argument\(s\) \{(.*)\} are declared", said):
        return f"{found[1]} is not called with {found[2].replace(chr(39), '')}"
    return ""


def _title(offer: object, attribute: str) -> str:
    return str(getattr(offer, attribute, None) or type(offer).__name__)
