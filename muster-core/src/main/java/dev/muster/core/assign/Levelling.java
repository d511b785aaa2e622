package dev.muster.core.assign;

import java.util.Arrays;

/**
 * The number of partitions of each kind that every member should have. The load is as even as the subscriptions allow,
 * and among all ways to do that the fewest partitions move. Partitions are of one kind if the same members subscribe to
 * them. An instance solves one problem.
 *
 * <p>As even as possible means the least sum of squares of the loads: no chain of moves (a gives one to b, b another
 * one to c …) leads from a member to one that has at least two fewer.
 *
 * <p>This is a flow of least cost from kinds to members. A member's n-th partition costs 2n − 1, so n of them cost n².
 * A partition that moves costs a little more than one that stays. The flow begins with each member keeping its
 * partitions, and is then made cheaper along circles of negative cost. A flow without such a circle is the cheapest of
 * all: this theorem proves that the result is the best.
 */
final class Levelling {
    private final int kinds;
    private final int members;
    private final boolean[][] reads;

    /** The present number of partitions of each member, and the number it should have, by kind. */
    private final int[][] has;

    private final int[][] gets;
    private final int[] load;

    /** The weight of evenness. It is more than all moves that one circle can save. */
    private final long even;

    private final int pool;
    private final long[] distance;
    private final int[] parent;

    /**
     * @param reads for each kind and member, true if the member subscribes to the kind
     * @param has for each kind and member, number of partitions that the member has now and subscribes to
     * @param all number of partitions of each kind
     */
    Levelling(boolean[][] reads, int[][] has, int[] all) {
        this.kinds = reads.length;
        this.members = kinds == 0 ? 0 : reads[0].length;
        this.reads = reads;
        this.has = has;
        this.gets = new int[kinds][];
        this.load = new int[members];
        this.pool = members + kinds;
        this.even = 4L * (pool + 1);
        this.distance = new long[pool + 1];
        this.parent = new int[pool + 1];
        for (int kind = 0; kind < kinds; kind++) {
            gets[kind] = has[kind].clone();
            for (int member = 0; member < members; member++) {
                load[member] += gets[kind][member];
            }
        }
        for (int kind = 0; kind < kinds; kind++) {
            placeFree(kind, all[kind] - Arrays.stream(has[kind]).sum());
        }
    }

    /** The number of partitions that each member should have, by kind and member. */
    int[][] level() {
        moveDirectly();
        while (findCircle()) {
            followCircle();
        }
        return gets;
    }

    /** Gives each partition without an owner to the least loaded member. This is only a good beginning. */
    private void placeFree(int kind, int free) {
        for (int i = 0; i < free; i++) {
            int least = leastLoaded(kind);
            gets[kind][least]++;
            load[least]++;
        }
    }

    /**
     * Moves partitions from the most loaded member to the least loaded one, as long as that helps. The circles would
     * find these moves too, with one search for each; this is quicker if many are needed.
     */
    private void moveDirectly() {
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int kind = 0; kind < kinds; kind++) {
                moved |= moveDirectly(kind);
            }
        }
    }

    private boolean moveDirectly(int kind) {
        boolean moved = false;
        while (true) {
            int most = mostLoaded(kind);
            int least = leastLoaded(kind);
            if (most < 0 || load[most] - load[least] < 2) {
                return moved;
            }
            gets[kind][most]--;
            load[most]--;
            gets[kind][least]++;
            load[least]++;
            moved = true;
        }
    }

    /** The least loaded of the members that subscribe to the kind. */
    private int leastLoaded(int kind) {
        int least = -1;
        for (int member = 0; member < members; member++) {
            if (reads[kind][member] && (least < 0 || load[member] < load[least])) {
                least = member;
            }
        }
        return least;
    }

    /** The most loaded of the members that have a partition of the kind. */
    private int mostLoaded(int kind) {
        int most = -1;
        for (int member = 0; member < members; member++) {
            if (gets[kind][member] > 0 && (most < 0 || load[member] > load[most])) {
                most = member;
            }
        }
        return most;
    }

    /**
     * The algorithm of Bellman and Ford: shortest distances from anywhere. If the distances never stop shrinking, there
     * is a circle of negative cost, and following the parents leads into it.
     *
     * <p>The nodes are the members, then the kinds, then the pool, which stands for the load of a member. A step from
     * the pool to a member takes a partition off it, and one from a member to the pool puts one on it.
     */
    private boolean findCircle() {
        Arrays.fill(distance, 0);
        Arrays.fill(parent, -1);
        boolean shorter = true;
        while (shorter) {
            shorter = fromPoolToMembers();
            shorter |= fromMembersToKinds();
            shorter |= fromKindsToMembers();
            shorter |= fromMembersToPool();
            if (shorter && circle() >= 0) {
                return true;
            }
        }
        return false;
    }

    private boolean fromPoolToMembers() {
        boolean shorter = false;
        for (int member = 0; member < members; member++) {
            if (load[member] > 0) {
                shorter |= relax(pool, member, -even * (2L * load[member] - 1));
            }
        }
        return shorter;
    }

    private boolean fromMembersToKinds() {
        boolean shorter = false;
        for (int kind = 0; kind < kinds; kind++) {
            for (int member = 0; member < members; member++) {
                if (gets[kind][member] > 0) {
                    shorter |= relax(member, members + kind, gets[kind][member] > has[kind][member] ? -1 : 0);
                }
            }
        }
        return shorter;
    }

    private boolean fromKindsToMembers() {
        boolean shorter = false;
        for (int kind = 0; kind < kinds; kind++) {
            for (int member = 0; member < members; member++) {
                if (reads[kind][member]) {
                    shorter |= relax(members + kind, member, gets[kind][member] >= has[kind][member] ? 1 : 0);
                }
            }
        }
        return shorter;
    }

    private boolean fromMembersToPool() {
        boolean shorter = false;
        for (int member = 0; member < members; member++) {
            shorter |= relax(member, pool, even * (2L * load[member] + 1));
        }
        return shorter;
    }

    private boolean relax(int from, int to, long cost) {
        if (distance[from] + cost >= distance[to]) {
            return false;
        }
        distance[to] = distance[from] + cost;
        parent[to] = from;
        return true;
    }

    /** A node on a circle of parents, or -1 if there is no circle. */
    private int circle() {
        int[] seen = new int[pool + 1];
        for (int start = 0; start <= pool; start++) {
            int node = start;
            while (node >= 0 && seen[node] == 0) {
                seen[node] = start + 1;
                node = parent[node];
            }
            if (node >= 0 && seen[node] == start + 1) {
                return node;
            }
        }
        return -1;
    }

    private void followCircle() {
        int start = circle();
        int to = start;
        do {
            int from = parent[to];
            step(from, to);
            to = from;
        } while (to != start);
    }

    private void step(int from, int to) {
        if (from == pool) {
            load[to]--;
        } else if (to == pool) {
            load[from]++;
        } else if (from < members) {
            gets[to - members][from]--;
        } else {
            gets[from - members][to]++;
        }
    }
}
