package dev.muster.core.assign;

import java.util.Arrays;

/**
 * Finds the best loads and then the fewest moves by giving out one partition after the other along the cheapest path.
 * Each partition may push others to other members. This algorithm is slow and differs from {@link Levelling}'s, so the
 * two check each other.
 */
final class SlowLevelling {
    private static final long EVEN = 1_000_000;

    private final boolean[][] reads;
    private final int[] topics;
    private final int[] owners;
    private final int members;
    private final int[] given;
    private final int[] load;

    SlowLevelling(boolean[][] reads, int[] topics, int[] owners) {
        this.reads = reads;
        this.topics = topics;
        this.owners = owners;
        this.members = reads[0].length;
        this.given = new int[topics.length];
        this.load = new int[members];
        Arrays.fill(given, -1);
        for (int partition = 0; partition < topics.length; partition++) {
            give(partition);
        }
    }

    StickyAssignorTest.Outcome outcome() {
        int squares = Arrays.stream(load).map(n -> n * n).sum();
        int moved = 0;
        for (int partition = 0; partition < topics.length; partition++) {
            moved += owners[partition] < members && owners[partition] != given[partition] ? 1 : 0;
        }
        return new StickyAssignorTest.Outcome(squares, moved);
    }

    private long cost(int partition, int member) {
        return owners[partition] < members && owners[partition] != member ? 1 : 0;
    }

    private void give(int first) {
        long[] distance = new long[members];
        int[] pushed = new int[members];
        int[] from = new int[members];
        Arrays.fill(distance, Long.MAX_VALUE / 2);
        for (int member = 0; member < members; member++) {
            if (reads[topics[first]][member]) {
                distance[member] = cost(first, member);
                pushed[member] = first;
                from[member] = -1;
            }
        }
        boolean shorter = true;
        while (shorter) {
            shorter = false;
            for (int partition = 0; partition < topics.length; partition++) {
                int holder = given[partition];
                for (int member = 0; holder >= 0 && member < members; member++) {
                    long way = distance[holder] - cost(partition, holder) + cost(partition, member);
                    if (member != holder && reads[topics[partition]][member] && way < distance[member]) {
                        distance[member] = way;
                        pushed[member] = partition;
                        from[member] = holder;
                        shorter = true;
                    }
                }
            }
        }
        int best = -1;
        for (int member = 0; member < members; member++) {
            if (best < 0 || total(distance, member) < total(distance, best)) {
                best = member;
            }
        }
        load[best]++;
        for (int member = best; member >= 0; member = from[member]) {
            given[pushed[member]] = member;
        }
    }

    private long total(long[] distance, int member) {
        return distance[member] + EVEN * (2L * load[member] + 1);
    }
}
