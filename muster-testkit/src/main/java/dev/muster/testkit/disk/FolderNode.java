package dev.muster.testkit.disk;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** A folder: the names everybody sees, and those that are there after a power cut. */
final class FolderNode implements Node {
    final Map<String, Node> names = new TreeMap<>();
    final Map<String, Node> durableNames = new HashMap<>();
    private final long number = NUMBERS.incrementAndGet();

    @Override
    public long number() {
        return number;
    }

    /** The power came back: what is not durable was never there. */
    void forgetUnsynced() {
        names.clear();
        names.putAll(durableNames);
    }
}
