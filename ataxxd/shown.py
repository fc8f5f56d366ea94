"""Text of any origin, made fit to be shown: nothing in it steers a terminal or tells a password.

The one place for it. Whatever is printed for people or logged goes through `shown`: names of
files, what brokers and the network answer, what records and transcripts hold, what peers say.
Knows nothing of any other module.
"""

import re

# Controls but for the tab and the line feed; what hides or turns the direction of writing;
# halves of characters, which cannot even be written.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
# The login in an address, up to the last @ of the word, for a password may hold one; but not
# the words by which our own messages explain it.
_LOGIN = re.compile(r"(?<=://)(?!\[?USER:PASSWORD@)[^\s\"']*@")


def shown(text: str) -> str:
    r"""`text` with what steers a terminal spelt out (``\x1b``) and without passwords in addresses.

    Tabs and line feeds stay.
    """
    return _STEERING.sub(_spelt_out, _LOGIN.sub("", text))


def _spelt_out(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
