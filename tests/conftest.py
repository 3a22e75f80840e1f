"""Settings of every test."""

from hypothesis import settings

# A busy machine must not fail a property, so no example is timed.
settings.register_profile("attend", deadline=None, print_blob=True)
settings.load_profile("attend")
