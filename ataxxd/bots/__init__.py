"""The former place of `ataxxd.engines`: what documents named stays importable from here."""
