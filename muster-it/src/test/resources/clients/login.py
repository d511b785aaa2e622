"""A client of kafka-python that logs in, sends a record and reads it.

    login.py ADDRESS TOPIC MECHANISM NAME PASSWORD PATIENCE_MS

It tries again to log in, also with a wrong password, for as long as its patience lasts.
"""

import sys

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

address, topic, mechanism, name, password = sys.argv[1:6]
patience_ms = int(sys.argv[6])
settings = dict(
    bootstrap_servers=address,
    security_protocol="SASL_PLAINTEXT",
    sasl_mechanism=mechanism,
    sasl_plain_username=name,
    sasl_plain_password=password,
    api_version_auto_timeout_ms=patience_ms,
)
producer = KafkaProducer(acks="all", max_block_ms=patience_ms, **settings)
at = producer.send(topic, b"hello from python", partition=0).get(timeout=patience_ms / 1000)
producer.close()
consumer = KafkaConsumer(consumer_timeout_ms=patience_ms, **settings)
consumer.assign([TopicPartition(topic, 0)])
consumer.seek(TopicPartition(topic, 0), at.offset)
print("read", next(consumer).value.decode())
