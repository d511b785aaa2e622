package dev.muster.bench.cases;

/** A comparison of {@code muster serve} with Apache Kafka. The brokers take turns; the client is the same process. */
interface KafkaCase extends Case {
    /** Many of these turns take Kafka seconds, and three of them are enough for a median. */
    @Override
    default int repetitions() {
        return 3;
    }
}
