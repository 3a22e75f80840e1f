"""Configuration: TOML files, checked key by key; a broken file never stops anything.

The user's file is ``places.config_file()``; a project's ``.attend.toml`` lies over it, as far
as `PROJECT_BOUNDS` lets it. What does not fit is replaced by what was in force before, or by
its default, and said.
"""

from attendd.config.describe import as_toml, default_text, effective, sections, write_default
from attendd.config.files import PROJECT_FILE, Loaded, for_project, load
from attendd.config.live import LiveConfig
from attendd.config.schema import PROJECT_BOUNDS, Config, Context, Memory, engine_settings

__all__ = [
    "PROJECT_BOUNDS",
    "PROJECT_FILE",
    "Config",
    "Context",
    "LiveConfig",
    "Loaded",
    "Memory",
    "as_toml",
    "default_text",
    "effective",
    "engine_settings",
    "for_project",
    "load",
    "sections",
    "write_default",
]
