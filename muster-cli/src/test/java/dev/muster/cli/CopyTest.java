package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CopyTest {
    private static final long SEED = Long.getLong("muster.seed", new Random().nextLong());

    /** Goal: a copy through JSON lines is byte-exact. Method: random records, copied, all fields compared. */
    @Test
    void aTopicCopiedThroughJsonLinesIsTheSame() {
        System.out.println("CopyTest: -Dmuster.seed=" + SEED);
        Random random = new Random(SEED);
        for (int i = 0; i < 30; i++) {
            copyAndCompare(random);
        }
    }

    private static void copyAndCompare(Random random) {
        try (Cli fresh = Cli.inMemory()) {
            fresh.run("topic", "create", "a", "-P", "3");
            for (int i = 0; i < 5; i++) {
                byte[] input = new byte[random.nextInt(200)];
                random.nextBytes(input);
                List<String> args = List.of(
                        "produce",
                        "a",
                        "--in",
                        i % 2 == 0 ? "raw" : "text",
                        "-p",
                        String.valueOf(random.nextInt(3)),
                        "-k",
                        "key" + i,
                        "-H",
                        "h=" + i,
                        "-Z");
                assertThat(fresh.run(input, args.toArray(String[]::new)).exitCode())
                        .isZero();
            }
            byte[] lines = fresh.run("consume", "a", "--exit", "-o", "jsonl").outBytes();
            fresh.run("topic", "create", "b", "-P", "3");
            assertThat(fresh.run(lines, "produce", "b", "--in", "jsonl", "--keep-partitions")
                            .exitCode())
                    .isZero();
            String everything = "%p %o %T %K %k %S %s %h\\n";
            for (String partition : List.of("0", "1", "2")) {
                assertThat(fresh.run("consume", "b", "--exit", "-p", partition, "-f", everything)
                                .outBytes())
                        .isEqualTo(fresh.run("consume", "a", "--exit", "-p", partition, "-f", everything)
                                .outBytes());
            }
        }
    }
}
