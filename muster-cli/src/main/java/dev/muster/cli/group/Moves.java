package dev.muster.cli.group;

import dev.muster.cli.text.Partitions;
import dev.muster.cli.text.Spans;
import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.Generation.Move;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The moves of a generation, as sentences and objects. */
final class Moves {
    private Moves() {}

    /** One line for all partitions with the same old and new owner: {@code orders 1,3: A -> C, unowned up to 4 ms}. */
    static List<String> lines(Generation generation, Names names) {
        Map<String, List<TopicPartition>> ways = new LinkedHashMap<>();
        generation
                .moves()
                .forEach((partition, move) -> ways.computeIfAbsent(way(move, names), way -> new ArrayList<>())
                        .add(partition));
        List<String> lines = new ArrayList<>();
        ways.forEach((way, partitions) ->
                lines.add(Partitions.show(partitions) + ": " + way + unowned(generation, partitions)));
        return lines;
    }

    private static String way(Move move, Names names) {
        return isAnew(move)
                ? who(move.to(), names) + " starts at another offset"
                : who(move.from(), names) + " -> " + who(move.to(), names);
    }

    /** True if the owner stays and starts at another offset. */
    static boolean isAnew(Move move) {
        return move.to().isPresent() && move.to().equals(move.from());
    }

    private static String who(Optional<MemberId> member, Names names) {
        return member.map(names::of).orElse("no member");
    }

    private static String unowned(Generation generation, List<TopicPartition> partitions) {
        long longest = -1;
        int waiting = 0;
        int held = 0;
        for (TopicPartition partition : partitions) {
            Move move = generation.moves().get(partition);
            longest = Math.max(longest, unownedMs(move).orElse(-1));
            waiting += move.to().isPresent() && move.takenAt() == 0 && move.freedAt() > 0 ? 1 : 0;
            held += move.from().isPresent() && move.freedAt() == 0 ? 1 : 0;
        }
        return (longest < 0 ? "" : unowned(longest, partitions.size()))
                + (waiting == 0 ? "" : ", " + waiting + " not taken yet")
                + (held == 0 ? "" : ", " + held + " not released yet");
    }

    /**
     * @param longest the longest time without an owner, among the partitions
     * @param partitions the number of partitions
     */
    static String unowned(long longest, int partitions) {
        return ", unowned " + (partitions > 1 && longest > 0 ? "up to " : "") + Spans.show(longest);
    }

    /** The time between two owners; empty if the move is not over, or there was no owner before. */
    static OptionalLong unownedMs(Move move) {
        boolean known = move.from().isPresent() && move.freedAt() > 0 && move.takenAt() > 0;
        return known ? OptionalLong.of(Math.max(0, move.takenAt() - move.freedAt())) : OptionalLong.empty();
    }

    static List<Map<String, Object>> objects(Generation generation) {
        List<Map<String, Object>> objects = new ArrayList<>();
        generation.moves().forEach((partition, move) -> {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("topic", partition.topic().value());
            object.put("partition", partition.partition());
            object.put("from", move.from().map(MemberId::value).orElse(null));
            object.put("to", move.to().map(MemberId::value).orElse(null));
            object.put("freedAt", move.freedAt() == 0 ? null : move.freedAt());
            object.put("takenAt", move.takenAt() == 0 ? null : move.takenAt());
            OptionalLong unowned = unownedMs(move);
            object.put("unownedMs", unowned.isPresent() ? unowned.getAsLong() : null);
            objects.add(object);
        });
        return objects;
    }
}
