package dev.muster.bench.cases;

/** A comparison of {@code muster serve} with Apache Kafka. The brokers take turns; the client is the same process. */
interface KafkaCase extends Case {
    /** Kafka needs seconds for much of what is asked here: three times are a median. */
    @Override
    default int repetitions() {
        return 3;
    }
}
