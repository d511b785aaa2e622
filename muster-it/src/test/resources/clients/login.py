"""A client of kafka-python that logs in, sends a record and reads it.

    login.py ADDRESS TOPIC MECHANISM NAME PASSWORD
"""

import sys

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

address, topic, mechanism, name, password = sys.argv[1:]
settings = dict(
    bootstrap_servers=address,
    security_protocol="SASL_PLAINTEXT",
    sasl_mechanism=mechanism,
    sasl_plain_username=name,
    sasl_plain_password=password,
)
producer = KafkaProducer(acks="all", max_block_ms=5000, **settings)
at = producer.send(topic, b"hello from python", partition=0).get(timeout=10)
producer.close()
consumer = KafkaConsumer(consumer_timeout_ms=10000, **settings)
consumer.assign([TopicPartition(topic, 0)])
consumer.seek(TopicPartition(topic, 0), at.offset)
print("read", next(consumer).value.decode())
