"""Files in `deploy` that other programs read: they say what the pages say of them."""

import configparser
import re

from tests.docs.pages import ROOT

DEPLOY = ROOT / "deploy"


def test_the_log_file_is_rotated_without_telling_the_program() -> None:
    text = (DEPLOY / "logrotate" / "ataxxd").read_text()
    (stanza,) = re.findall(r"^(/\S+) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    words = {line.split()[0] for line in stanza[1].splitlines() if not line.strip().startswith("#")}
    # It has the file open for months and takes no signal for it.
    assert {"copytruncate", "rotate", "maxsize", "compress", "missingok"} <= words


def test_the_journal_is_bounded_in_size_and_time() -> None:
    parser = configparser.ConfigParser()
    parser.read_string((DEPLOY / "journald" / "ataxxd.conf").read_text())
    assert {"systemmaxuse", "maxretentionsec"} <= set(parser["Journal"])
