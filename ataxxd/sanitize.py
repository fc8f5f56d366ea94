"""Makes text of any origin fit to be shown: it cannot control a terminal or reveal a password.

All text that is printed for people or logged passes through `sanitized`: file names, answers of
brokers and the network, the contents of records and transcripts, messages of peers. Imports no
other module of the package.
"""

import re

# Control characters except tab and line feed; bidirectional controls; lone surrogates, which cannot
# be encoded; and invisible characters: Unicode's Default_Ignorable_Code_Point
# (DerivedCoreProperties.txt) and the blank Braille pattern. The zero-width joiner and the variation
# selectors stay, because many emoji need them.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# The login in an address, up to the last @ of the word, because a password may contain one; but not
# the placeholder USER:PASSWORD of our own messages.
_LOGIN = re.compile(r"(?<=://)(?!\[?USER:PASSWORD@)[^\s\"']*@")


def sanitized(text: str) -> str:
    r"""`text` with control characters spelt out (``\x1b``) and without logins in addresses.

    Tabs and line feeds stay.
    """
    return _STEERING.sub(_escape, _LOGIN.sub("", text))


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
