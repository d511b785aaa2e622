package dev.muster.testkit.disk;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** A folder: the names that all processes see, and the names that exist after a power cut. */
final class FolderNode implements Node {
    final Map<String, Node> names = new TreeMap<>();
    final Map<String, Node> durableNames = new HashMap<>();
    private final long number = NUMBERS.incrementAndGet();

    @Override
    public long number() {
        return number;
    }

    /** Does what a power cut does: only durable names are left. */
    void forgetUnsynced() {
        names.clear();
        names.putAll(durableNames);
    }
}
