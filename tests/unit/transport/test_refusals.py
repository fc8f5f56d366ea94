"""Why there is no connection, in words for people."""

import errno

from ataxxd.transport.refusals import explain_loss


def test_a_lost_connection_is_told_without_the_number_of_its_error() -> None:
    lost = ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
    assert explain_loss(lost) == "the connection broke: connection reset by peer"
