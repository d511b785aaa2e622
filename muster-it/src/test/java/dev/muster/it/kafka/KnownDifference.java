package dev.muster.it.kafka;

import java.util.function.BiPredicate;

/**
 * Where Muster answers otherwise than Kafka on purpose. The same list, with the reasons, is docs/kafka-differences.md.
 */
enum KnownDifference {
    NONE((ours, theirs) -> false);

    private final BiPredicate<String, String> explains;

    KnownDifference(BiPredicate<String, String> explains) {
        this.explains = explains;
    }

    static boolean explains(GroupStep step, String ours, String theirs) {
        return explains(ours, theirs);
    }

    static boolean explains(String ours, String theirs) {
        for (KnownDifference difference : values()) {
            if (difference.explains.test(ours, theirs)) {
                return true;
            }
        }
        return false;
    }
}
