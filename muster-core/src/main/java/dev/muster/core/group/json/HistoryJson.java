package dev.muster.core.group.json;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.History;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.Generation.Move;
import dev.muster.core.group.model.LastMove;
import dev.muster.core.group.model.SharedMap;
import dev.muster.core.json.JsonWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The JSON of a group's history. The last move of a partition is written as the number of its generation. Generations
 * that are remembered only for such moves are under {@code older}, with only these moves.
 */
final class HistoryJson {
    private HistoryJson() {}

    static void write(JsonWriter out, History history) {
        out.name("history").array();
        history.generations().forEach(generation -> writeGeneration(out, generation));
        out.end().name("older").array();
        older(history).forEach(generation -> writeGeneration(out, generation));
        out.end();
        SnapshotJson.writeGrouped(
                out, "last", history.last(), LastMove::generation, number -> out.field("generation", number));
        SnapshotJson.writeGrouped(out, "free", history.free(), since -> since, since -> out.field("since", since));
    }

    private static List<Generation> older(History history) {
        long first = history.generations().isEmpty()
                ? Long.MAX_VALUE
                : history.generations().getFirst().number();
        SortedMap<Long, Generation> older = new TreeMap<>();
        history.last().forEach((partition, last) -> {
            if (last.generation() < first) {
                Generation known = older.computeIfAbsent(
                        last.generation(),
                        number -> new Generation(
                                number, last.at(), last.cause(), last.assignor(), last.reason(), SharedMap.empty()));
                older.put(last.generation(), known.with(partition, last.move()));
            }
        });
        return new ArrayList<>(older.values());
    }

    static History read(Fields fields) {
        List<Generation> generations = readGenerations(fields.list("history"));
        Map<Long, Generation> byNumber = new HashMap<>();
        generations.forEach(generation -> byNumber.put(generation.number(), generation));
        readGenerations(fields.list("older")).forEach(generation -> byNumber.put(generation.number(), generation));
        SortedMap<TopicPartition, LastMove> last = new TreeMap<>();
        SnapshotJson.eachGroup(fields, "last", (of, partitions) -> {
            Generation generation = byNumber.get(of.number("generation"));
            for (TopicPartition partition : partitions) {
                Move move = generation == null ? null : generation.moves().get(partition);
                if (move == null) {
                    throw Fields.bad("the last move of " + partition + " is missing");
                }
                last.put(partition, new LastMove(generation, move));
            }
        });
        SortedMap<TopicPartition, Long> free = new TreeMap<>();
        SnapshotJson.eachGroup(fields, "free", (of, partitions) -> {
            long since = of.number("since");
            partitions.forEach(partition -> free.put(partition, since));
        });
        return new History(generations, SharedMap.copyOf(last), SharedMap.copyOf(free));
    }

    private static void writeGeneration(JsonWriter out, Generation generation) {
        out.object().field("generation", generation.number()).field("at", generation.at());
        out.field("cause", generation.cause()).field("assignor", generation.assignor());
        out.field("reason", generation.reason());
        SnapshotJson.writeGrouped(out, "moves", generation.moves(), move -> move, move -> {
            move.from().ifPresent(from -> out.field("from", from));
            move.to().ifPresent(to -> out.field("to", to));
            out.field("freedAt", move.freedAt()).field("takenAt", move.takenAt());
        });
        out.end();
    }

    private static List<Generation> readGenerations(List<?> values) {
        List<Generation> generations = new ArrayList<>();
        for (Object value : values) {
            Fields one = new Fields("generation", value);
            SortedMap<TopicPartition, Move> moves = new TreeMap<>();
            SnapshotJson.eachGroup(one, "moves", (of, partitions) -> {
                Optional<MemberId> from = of.optional("from").map(MemberId::new);
                Optional<MemberId> to = of.optional("to").map(MemberId::new);
                Move move = new Move(from, to, of.number("freedAt"), of.number("takenAt"));
                partitions.forEach(partition -> moves.put(partition, move));
            });
            generations.add(new Generation(
                    one.number("generation"),
                    one.number("at"),
                    one.string("cause"),
                    one.string("assignor"),
                    one.string("reason"),
                    SharedMap.copyOf(moves)));
            one.done();
        }
        return List.copyOf(generations);
    }
}
