package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.Generation.Move;
import dev.muster.core.group.model.LastMove;
import dev.muster.core.group.model.Ownership;
import dev.muster.core.group.model.SharedMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/**
 * The history that a group keeps for people: the last generations, the last move of each partition, and the time since
 * which a partition has no owner. No rule reads it.
 *
 * @param generations last generations, oldest first, with consecutive numbers
 * @param last last move of every partition that ever had a target
 * @param free time since which a partition has no owner, for partitions that had one
 */
public record History(
        List<Generation> generations, SharedMap<TopicPartition, LastMove> last, SharedMap<TopicPartition, Long> free) {
    /** The largest number of generations in the history. */
    public static final int GENERATIONS_MAX = 100;

    /** The largest number of moves in the history. Old generations are forgotten beyond it. */
    public static final int MOVES_MAX = 10_000;

    static final History NONE = new History(List.of(), SharedMap.empty(), SharedMap.empty());

    /**
     * @param before member that should own each partition until now
     * @param after member that should own each partition from now on
     */
    History rebalanced(
            Event.Rebalanced event,
            long at,
            SortedMap<TopicPartition, MemberId> before,
            SortedMap<TopicPartition, MemberId> after,
            SortedMap<TopicPartition, Ownership> owners,
            SortedMap<TopicPartition, Long> recalled) {
        SortedMap<TopicPartition, Move> moves = new TreeMap<>();
        for (Map.Entry<TopicPartition, MemberId> target : after.entrySet()) {
            if (!target.getValue().equals(before.get(target.getKey()))) {
                moves.put(
                        target.getKey(),
                        move(target.getKey(), before, Optional.of(target.getValue()), at, owners, recalled));
            }
        }
        // Also partitions of former members: their targets are gone, but their last moves are known.
        for (Map.Entry<TopicPartition, LastMove> old : last.entrySet()) {
            if (old.getValue().move().to().isPresent() && !after.containsKey(old.getKey())) {
                moves.put(old.getKey(), move(old.getKey(), before, Optional.empty(), at, owners, recalled));
            }
        }
        return with(new Generation(
                event.generation(), at, event.cause(), event.assignor(), event.reason(), SharedMap.copyOf(moves)));
    }

    /** @param recalled partitions that their owners must release, and the member that each is granted to then */
    History rewound(
            Event.Rewound event,
            long at,
            SortedMap<TopicPartition, Optional<MemberId>> recalled,
            SortedMap<TopicPartition, Ownership> owners) {
        SortedMap<TopicPartition, Move> moves = new TreeMap<>();
        recalled.forEach((partition, to) ->
                moves.put(partition, new Move(Optional.of(owners.get(partition).member()), to, 0, 0)));
        return with(new Generation(
                event.generation(), at, event.cause(), Generation.NO_ASSIGNOR, Rewind.REASON, SharedMap.copyOf(moves)));
    }

    private History with(Generation generation) {
        SortedMap<TopicPartition, Move> moves = generation.moves();
        SharedMap<TopicPartition, LastMove> lastNow = last;
        for (var move : moves.entrySet()) {
            lastNow = lastNow.with(move.getKey(), new LastMove(generation, move.getValue()));
        }
        return new History(bounded(generation), lastNow, free);
    }

    /** A classic generation. Its owners are known only when its leader assigns. */
    History formed(long number, long at, String cause, String assignor, String reason) {
        Generation generation = new Generation(number, at, cause, assignor, reason, SharedMap.empty());
        return new History(bounded(generation), last, free);
    }

    /**
     * The leader of the newest generation, a classic one, assigned. Partitions that move change their owner at this
     * moment.
     */
    History assigned(
            long number,
            long at,
            SortedMap<TopicPartition, MemberId> after,
            SortedMap<TopicPartition, Ownership> owners) {
        SortedMap<TopicPartition, Move> moves = new TreeMap<>();
        after.forEach((partition, to) -> {
            Ownership owner = owners.get(partition);
            if (owner == null || !owner.member().equals(to)) {
                moves.put(partition, handOver(partition, owner, Optional.of(to), at));
            }
        });
        last.forEach((partition, old) -> {
            if (old.move().to().isPresent() && !after.containsKey(partition)) {
                moves.put(partition, handOver(partition, owners.get(partition), Optional.empty(), at));
            }
        });
        List<Generation> all = new ArrayList<>(generations);
        Generation newest = all.getLast();
        if (newest.number() != number) {
            throw new IllegalStateException("generation " + number + " is assigned, the newest is " + newest.number());
        }
        Generation generation = new Generation(
                number, newest.at(), newest.cause(), newest.assignor(), newest.reason(), SharedMap.copyOf(moves));
        all.set(all.size() - 1, generation);
        SharedMap<TopicPartition, LastMove> lastNow = last;
        SharedMap<TopicPartition, Long> freeNow = free;
        for (var move : moves.entrySet()) {
            lastNow = lastNow.with(move.getKey(), new LastMove(generation, move.getValue()));
            freeNow = move.getValue().to().isPresent()
                    ? freeNow.without(move.getKey())
                    : freeNow.with(move.getKey(), move.getValue().freedAt());
        }
        return new History(List.copyOf(all), lastNow, freeNow);
    }

    private Move handOver(TopicPartition partition, Ownership owner, Optional<MemberId> to, long at) {
        Optional<MemberId> from = Optional.ofNullable(owner)
                .map(Ownership::member)
                .or(() -> Optional.ofNullable(last.get(partition))
                        .flatMap(move -> move.move().to()));
        Long since = free.get(partition);
        return new Move(from, to, since == null ? at : since, to.isPresent() ? at : 0);
    }

    private Move move(
            TopicPartition partition,
            SortedMap<TopicPartition, MemberId> before,
            Optional<MemberId> to,
            long at,
            SortedMap<TopicPartition, Ownership> owners,
            SortedMap<TopicPartition, Long> recalled) {
        Optional<MemberId> from = Optional.ofNullable(before.get(partition))
                .or(() -> Optional.ofNullable(last.get(partition))
                        .flatMap(move -> move.move().to()));
        Ownership owner = owners.get(partition);
        if (owner == null) {
            Long since = free.get(partition);
            return new Move(from, to, since == null ? at : since, 0);
        }
        // The owner gets it back before it released it, so it was never without an owner.
        boolean stays = to.isPresent() && to.get().equals(owner.member()) && !recalled.containsKey(partition);
        return stays ? new Move(from, to, at, at) : new Move(from, to, 0, 0);
    }

    private List<Generation> bounded(Generation newest) {
        List<Generation> all = new ArrayList<>(generations);
        all.add(newest);
        int moves = 0;
        for (Generation generation : all) {
            moves += generation.moves().size();
        }
        int from = 0;
        while (all.size() - from > GENERATIONS_MAX || moves > MOVES_MAX && all.size() - from > 1) {
            moves -= all.get(from).moves().size();
            from++;
        }
        return List.copyOf(all.subList(from, all.size()));
    }

    History freed(SortedSet<TopicPartition> partitions, long at) {
        SharedMap<TopicPartition, Long> freeNow = free;
        for (TopicPartition partition : partitions) {
            freeNow = freeNow.with(partition, at);
        }
        return changed(
                        partitions,
                        (partition, move) ->
                                move.freedAt() == 0 ? new Move(move.from(), move.to(), at, move.takenAt()) : move)
                .with(freeNow);
    }

    History granted(SortedSet<TopicPartition> partitions, long at) {
        SharedMap<TopicPartition, Long> freeNow = free;
        for (TopicPartition partition : partitions) {
            freeNow = freeNow.without(partition);
        }
        return changed(
                        partitions,
                        (partition, move) ->
                                move.takenAt() == 0 ? new Move(move.from(), move.to(), move.freedAt(), at) : move)
                .with(freeNow);
    }

    /** Forgets partitions that do not exist any more. The generations of the past keep them. */
    History without(Predicate<TopicPartition> gone) {
        return new History(
                generations,
                last.filter((partition, move) -> !gone.test(partition)),
                free.filter((partition, since) -> !gone.test(partition)));
    }

    private History with(SharedMap<TopicPartition, Long> freeNow) {
        return new History(generations, last, freeNow);
    }

    private History changed(SortedSet<TopicPartition> partitions, BiFunction<TopicPartition, Move, Move> change) {
        List<Generation> all = new ArrayList<>(generations);
        SharedMap<TopicPartition, LastMove> lastNow = last;
        for (TopicPartition partition : partitions) {
            LastMove old = lastNow.get(partition);
            if (old == null) {
                continue;
            }
            Move move = change.apply(partition, old.move());
            if (move == old.move()) {
                continue;
            }
            lastNow = lastNow.with(partition, old.with(move));
            int index = all.isEmpty()
                    ? -1
                    : (int) (old.generation() - all.getFirst().number());
            if (index >= 0) {
                all.set(index, all.get(index).with(partition, move));
            }
        }
        return new History(List.copyOf(all), lastNow, free);
    }
}
