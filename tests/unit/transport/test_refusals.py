"""Why there is no connection, in words for people."""

import errno

import aiomqtt
from paho.mqtt.enums import MQTTErrorCode

from ataxxd.transport.mqtt import explain_unsent
from ataxxd.transport.refusals import explain_loss


def test_a_lost_connection_is_told_without_the_number_of_its_error() -> None:
    lost = ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
    assert explain_loss(lost) == "the connection broke: connection reset by peer"


def test_what_cannot_be_sent_without_a_connection_is_told_without_the_clients_code() -> None:
    for code in MQTTErrorCode.MQTT_ERR_NO_CONN, MQTTErrorCode.MQTT_ERR_CONN_LOST:
        gone = aiomqtt.MqttCodeError(code)
        assert explain_unsent(gone, "sending failed") == "the broker closed the connection"
    full = aiomqtt.MqttCodeError(MQTTErrorCode.MQTT_ERR_QUEUE_SIZE)
    assert explain_unsent(full, "sending failed").startswith("sending failed (")
