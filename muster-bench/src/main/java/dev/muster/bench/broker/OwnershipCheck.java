package dev.muster.bench.broker;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The partitions that the members of a group report to own. Members report from their own threads. Two reports must
 * never overlap. The assignment is complete when every partition has an owner and no member has more than one partition
 * more than another.
 */
final class OwnershipCheck {
    private final String[] ownerByPartition;
    private final Map<String, Integer> countByMember = new HashMap<>();
    private String violation;

    OwnershipCheck(int partitions) {
        ownerByPartition = new String[partitions];
    }

    synchronized void joins(String member) {
        countByMember.put(member, 0);
    }

    synchronized void assigned(String member, Collection<Integer> partitions) {
        for (int partition : partitions) {
            if (ownerByPartition[partition] != null && violation == null) {
                violation = "partition " + partition + " was given to " + member + " while "
                        + ownerByPartition[partition] + " had it";
            }
            ownerByPartition[partition] = member;
            countByMember.merge(member, 1, Integer::sum);
        }
        notifyAll();
    }

    synchronized void gone(String member, Collection<Integer> partitions) {
        for (int partition : partitions) {
            if (member.equals(ownerByPartition[partition])) {
                ownerByPartition[partition] = null;
                countByMember.merge(member, -1, Integer::sum);
            }
        }
    }

    /** A member failed, so waiting ends. */
    synchronized void failed(String member, Exception reason) {
        violation = member + " failed: " + reason;
        notifyAll();
    }

    /**
     * Waits until the assignment is complete.
     *
     * @return the time of that, as {@link System#nanoTime}
     */
    synchronized long awaitComplete(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!isComplete()) {
            requireDisjoint();
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new CheckFailedException("not assigned after " + patience + ": " + countByMember);
            }
            wait(left);
        }
        requireDisjoint();
        return System.nanoTime();
    }

    synchronized void requireDisjoint() {
        if (violation != null) {
            throw new CheckFailedException(violation);
        }
    }

    private boolean isComplete() {
        int fewest = countByMember.values().stream().mapToInt(it -> it).min().orElse(0);
        int most = countByMember.values().stream().mapToInt(it -> it).max().orElse(0);
        return fewest > 0
                && most - fewest <= 1
                && Arrays.stream(ownerByPartition).noneMatch(it -> it == null);
    }
}
