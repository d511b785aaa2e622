package dev.muster.simulation;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.Opaque;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The metadata of a classic consumer for its leader. The rules never read these bytes.
 *
 * @param generation the last generation that it received; negative if none
 * @param owned the partitions that it has
 */
record MemberMetadata(long generation, SortedSet<TopicPartition> owned) {
    MemberMetadata {
        owned = Collections.unmodifiableSortedSet(new TreeSet<>(owned));
    }

    Opaque bytes() {
        return bytes(generation + " " + text(owned));
    }

    static MemberMetadata of(Opaque bytes) {
        String text = new String(bytes.toBytes(), StandardCharsets.UTF_8);
        int space = text.indexOf(' ');
        return new MemberMetadata(Long.parseLong(text.substring(0, space)), partitions(text.substring(space + 1)));
    }

    /** The assignment of a leader for a member. */
    static Opaque assignment(SortedSet<TopicPartition> partitions) {
        return bytes(text(partitions));
    }

    static SortedSet<TopicPartition> assignment(Opaque bytes) {
        return partitions(new String(bytes.toBytes(), StandardCharsets.UTF_8));
    }

    private static Opaque bytes(String text) {
        return Opaque.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(SortedSet<TopicPartition> partitions) {
        StringBuilder text = new StringBuilder();
        partitions.forEach(one ->
                text.append(one.topic()).append(':').append(one.partition()).append(' '));
        return text.toString();
    }

    private static SortedSet<TopicPartition> partitions(String text) {
        SortedSet<TopicPartition> partitions = new TreeSet<>();
        for (String one : text.isEmpty() ? new String[0] : text.split(" ", -1)) {
            if (!one.isEmpty()) {
                int colon = one.indexOf(':');
                partitions.add(new TopicPartition(
                        new TopicName(one.substring(0, colon)), Integer.parseInt(one.substring(colon + 1))));
            }
        }
        return partitions;
    }
}
