package dev.muster.embedded;

import static dev.muster.embedded.PollingMember.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicPartition;
import dev.muster.core.TopicSettings;
import dev.muster.embedded.internal.GroupInspection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A hundred members in one process on a thousand partitions. */
@Timeout(300)
class HundredMembersIT {
    private static final int MEMBERS = 100;
    private static final int PARTITIONS = 1000;

    @TempDir
    Path directory;

    @Test
    void oneMoreMemberMovesNoMoreThanItsShare() {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create("orders", PARTITIONS, TopicSettings.DEFAULT);
            List<PollingMember> members = new ArrayList<>();
            try {
                long start = System.nanoTime();
                for (int i = 0; i < MEMBERS; i++) {
                    members.add(new PollingMember(muster, "billing", it -> it, "orders"));
                }
                await(
                        "each member has ten partitions",
                        () -> members.stream().allMatch(one -> one.owned().size() == 10));
                Duration took = Duration.ofNanos(System.nanoTime() - start);
                long generation = GroupInspection.of(muster)
                        .state("billing")
                        .orElseThrow()
                        .generation();
                System.out.printf(
                        "FIGURE %d members, %d partitions: settled after %d ms and %d generations%n",
                        MEMBERS, PARTITIONS, took.toMillis(), generation);
                Map<TopicPartition, PollingMember> before = owners(members);
                assertThat(before).hasSize(PARTITIONS);

                start = System.nanoTime();
                PollingMember late = new PollingMember(muster, "billing", it -> it, "orders");
                members.add(late);
                await("the new member has its share", () -> late.owned().size() == PARTITIONS / (MEMBERS + 1));
                System.out.printf(
                        "FIGURE a new member has its share after %d ms%n", (System.nanoTime() - start) / 1_000_000);
                await("every partition has an owner", () -> owners(members).size() == PARTITIONS);
                await(
                        "every listener knows the partitions of its member",
                        () -> members.stream()
                                .allMatch(one -> one.knownToListener().equals(one.owned())));
                Map<TopicPartition, PollingMember> after = owners(members);
                Set<TopicPartition> moved = new HashSet<>();
                after.forEach((partition, owner) -> {
                    if (before.get(partition) != owner) {
                        moved.add(partition);
                    }
                });
                assertThat(moved).hasSizeLessThanOrEqualTo((PARTITIONS + MEMBERS) / (MEMBERS + 1));
                assertThat(moved).isEqualTo(late.owned());
                long revokes = members.stream()
                        .flatMap(one -> one.heard.stream())
                        .filter(words -> words.startsWith("revoked"))
                        .mapToLong(words -> words.split(" ").length - 1)
                        .sum();
                assertThat(revokes)
                        .as("partitions that were revoked after the start")
                        .isLessThanOrEqualTo(moved.size() + revokedAtStart(before, members));
                assertThat(members)
                        .allSatisfy(one -> assertThat(one.heard.toString()).doesNotContain("lost"));
            } finally {
                members.forEach(PollingMember::close);
            }
        }
    }

    /** The number of partitions that moved while the first hundred members joined. */
    private static long revokedAtStart(Map<TopicPartition, PollingMember> settled, List<PollingMember> members) {
        return members.stream()
                        .flatMap(one -> one.heard.stream())
                        .filter(words -> words.startsWith("assigned"))
                        .mapToLong(words -> words.split(" ").length - 1)
                        .sum()
                - settled.size()
                - members.getLast().owned().size();
    }

    private static Map<TopicPartition, PollingMember> owners(List<PollingMember> members) {
        Map<TopicPartition, PollingMember> owners = new HashMap<>();
        for (PollingMember member : members) {
            for (TopicPartition partition : member.owned()) {
                assertThat(owners.put(partition, member))
                        .as("owners of %s", partition)
                        .isNull();
            }
        }
        return owners;
    }
}
