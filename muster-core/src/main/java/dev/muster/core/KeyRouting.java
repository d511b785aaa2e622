package dev.muster.core;

/**
 * The partition of a key: murmur2 of its bytes, as every Kafka client computes it. So all producers send the records of
 * one key to the same partition. The result must never change.
 */
public final class KeyRouting {
    private static final int SEED = 0x9747b28c;
    private static final int M = 0x5bd1e995;
    private static final int R = 24;

    private KeyRouting() {}

    /** The partition of a key, from 0 to {@code partitions - 1}. */
    public static int partition(byte[] key, int partitions) {
        return (murmur2(key) & Integer.MAX_VALUE) % partitions;
    }

    static int murmur2(byte[] key) {
        int hash = SEED ^ key.length;
        int at = 0;
        for (; key.length - at >= 4; at += 4) {
            int k = key[at] & 0xFF
                    | (key[at + 1] & 0xFF) << 8
                    | (key[at + 2] & 0xFF) << 16
                    | (key[at + 3] & 0xFF) << 24;
            k *= M;
            k ^= k >>> R;
            k *= M;
            hash = hash * M ^ k;
        }
        int tail = 0;
        for (int i = key.length - 1; i >= at; i--) {
            tail = tail << 8 | key[i] & 0xFF;
        }
        if (at < key.length) {
            hash = (hash ^ tail) * M;
        }
        hash ^= hash >>> 13;
        hash *= M;
        return hash ^ hash >>> 15;
    }
}
