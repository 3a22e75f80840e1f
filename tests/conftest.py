"""Settings of every test."""

import os

from hypothesis import settings

# A busy machine must not fail a property, so no example is timed.
settings.register_profile("attend", deadline=None, print_blob=True, max_examples=50)
settings.register_profile("torture", settings.get_profile("attend"), max_examples=1000)
settings.load_profile("torture" if os.environ.get("ATTEND_TORTURE") == "1" else "attend")
