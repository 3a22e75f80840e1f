"""What is wrong with what a plugin offers, in words for whoever wrote it."""

import re

import msgspec

from attendd.api import Component, SensorConfig, SensorType

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]{0,39}")
_MAX_LINES = 12
_MAX_CHARACTERS = 1100


def of_sensor(offer: object) -> str:
    """Return what is wrong with an offered kind of sensor; empty if nothing is."""
    if not isinstance(offer, SensorType):
        return f"attend_sensors returned an object of type {type(offer).__name__}"
    if not _NAME.fullmatch(f"{offer.name}"):
        return "a sensor's name has 1 to 40 letters, digits and '-', and starts with a letter"
    if not callable(offer.build):
        return "its build cannot be called"
    return _of_config(offer.config)


def _of_config(config: object) -> str:
    if not (isinstance(config, type) and issubclass(config, SensorConfig)):
        return "its config is not a subclass of SensorConfig"
    try:
        defaults = msgspec.convert({}, config)
    except Exception as error:  # noqa: BLE001 - an annotation may fail in any way
        return f"its config does not work with every key left out: {error}"
    try:  # what every sensor has may be given other defaults, and lose its bounds by that
        common = {key: getattr(defaults, key) for key in SensorConfig.__struct_fields__}
        msgspec.convert(common, SensorConfig)
    except Exception as error:  # noqa: BLE001 - as above
        return f"its config has a default that is out of bounds: {error}"
    return ""


def of_component(offer: object) -> str:
    """Return what is wrong with an offered text; empty if nothing is."""
    if not isinstance(offer, Component):
        return f"attend_disclosures returned an object of type {type(offer).__name__}"
    if not offer.id or not offer.text.strip():
        return "its id or its text is empty"
    lines = len(offer.text.strip().splitlines())
    characters = len(offer.text.strip())
    if lines > _MAX_LINES or characters > _MAX_CHARACTERS:
        return (
            f"its text has {lines} lines and {characters} characters;"
            f" at most {_MAX_LINES} and {_MAX_CHARACTERS} are allowed"
        )
    return ""
