"""Makes text of any origin fit to be shown: it cannot control a terminal or reveal a password.

The one place for it. All text that is printed for people or logged passes through `sanitized`: file
names, answers of brokers and the network, the contents of records and transcripts, messages of
peers. Knows nothing of any other module.
"""

import re

# Controls but for the tab and the line feed; what turns the direction of writing; halves of
# characters, which cannot even be written; and what has no picture of its own: Unicode's
# Default_Ignorable_Code_Point (DerivedCoreProperties.txt), and the empty Braille pattern. The
# joiner and the variation selectors stay, for many emoji are written with them.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# The login in an address, up to the last @ of the word, for a password may hold one; but not
# the words by which our own messages explain it.
_LOGIN = re.compile(r"(?<=://)(?!\[?USER:PASSWORD@)[^\s\"']*@")


def sanitized(text: str) -> str:
    r"""`text` with what steers a terminal spelt out (``\x1b``) and without passwords in addresses.

    Tabs and line feeds stay.
    """
    return _STEERING.sub(_spelt_out, _LOGIN.sub("", text))


def _spelt_out(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
