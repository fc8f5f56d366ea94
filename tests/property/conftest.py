"""How hypothesis runs here."""

from hypothesis import settings

# A test must not fail because the machine was busy; pytest's own timeout catches hangs.
settings.register_profile("ataxxd", deadline=None)
settings.load_profile("ataxxd")
