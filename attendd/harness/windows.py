"""How large the context windows of known models are; see `attendd.hot.windows`."""

from attendd.hot.windows import WINDOWS, newer, plain, window

__all__ = ["WINDOWS", "newer", "plain", "window"]
