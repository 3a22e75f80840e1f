"""How large the context windows of known models are; see `attendd.hot.windows`."""

from attendd.hot.windows import WINDOWS, plain, window

__all__ = ["WINDOWS", "plain", "window"]
