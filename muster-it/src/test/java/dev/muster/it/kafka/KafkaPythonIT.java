package dev.muster.it.kafka;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;

/** kafka-python, written without any of Kafka's own code. */
class KafkaPythonIT extends ClientContract {
    private static final String SCRIPT = Programs.script("member.py");
    private static String python = "";

    @BeforeAll
    static void findPython() {
        python = Programs.pythonWith("kafka").orElse("");
    }

    @Override
    void requireClient() {
        if (python.isEmpty()) {
            Programs.skip("no python3 has the module kafka (Debian: python3-kafka)");
        }
    }

    @Override
    List<String> compressions() throws Exception {
        return ForeignProcess.run(List.of(python, SCRIPT, "compressions"));
    }

    @Override
    List<String> producing(String address, String topic, String compression) {
        return List.of(python, SCRIPT, "produce", address, topic, compression);
    }

    @Override
    List<String> consuming(String address, String topic, String... settings) {
        return Stream.concat(Stream.of(python, SCRIPT, "consume", address, topic, GROUP), Stream.of(settings))
                .toList();
    }
}
