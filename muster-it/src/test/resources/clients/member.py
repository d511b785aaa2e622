"""A client of kafka-python: what dev.muster.it.kafka.ClientContract asks of a client.

    member.py compressions
    member.py produce ADDRESS TOPIC COMPRESSION                  reads "key:value" lines
    member.py consume ADDRESS TOPIC GROUP [setting=value ...]    until SIGTERM
"""

import signal
import sys

from kafka import KafkaConsumer, KafkaProducer, codec

# By default it gives up after two seconds in which a busy server does not answer.
PROBE_MS = 60000

HEADERS = [("tenant", b"blue"), ("trace", b"7")]


def compressions():
    known = {"gzip": codec.has_gzip, "snappy": codec.has_snappy, "lz4": codec.has_lz4, "zstd": codec.has_zstd}
    return ["none"] + [name for name, is_here in known.items() if is_here()]


def produce(address, topic, compression):
    producer = KafkaProducer(
        bootstrap_servers=address,
        api_version_auto_timeout_ms=PROBE_MS,
        acks="all",
        compression_type=None if compression == "none" else compression,
        linger_ms=20,
    )
    sent = []
    for line in sys.stdin:
        key, value = line.rstrip("\n").split(":", 1)
        sent.append(
            producer.send(topic, key=key.encode() or None, value=value.encode() or None, headers=HEADERS, partition=0)
        )
    for one in sent:
        one.get(timeout=30)
    producer.close()


def consume(address, topic, group, *settings):
    given = {name.replace(".", "_"): int(value) for name, value in (setting.split("=", 1) for setting in settings)}
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=address,
        api_version_auto_timeout_ms=PROBE_MS,
        group_id=group,
        auto_offset_reset="earliest",
        auto_commit_interval_ms=500,
        heartbeat_interval_ms=300,
        **given,
    )
    asked_to_leave = []
    signal.signal(signal.SIGTERM, lambda *_: asked_to_leave.append(True))
    while not asked_to_leave:
        for records in consumer.poll(timeout_ms=200).values():
            for record in records:
                print("record", record.partition, record.offset, text(record.key), text(record.value),
                      ",".join(name + "=" + value.decode() for name, value in record.headers), flush=True)
    consumer.close()


def text(data):
    return "NULL" if data is None else data.decode()


if __name__ == "__main__":
    if sys.argv[1] == "compressions":
        print("\n".join(compressions()))
    else:
        {"produce": produce, "consume": consume}[sys.argv[1]](*sys.argv[2:])
