package dev.muster.core.group;

import static dev.muster.core.group.Club.id;
import static dev.muster.core.group.Club.offsets;
import static dev.muster.core.group.Club.partitions;
import static dev.muster.core.group.Club.spec;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GroupTest {
    private final Club club = new Club().topic("orders", 4);

    @Test
    void joinsThatArriveTogetherAreTakenTogether() {
        club.join(spec("A", "orders"));
        long first = club.group.pending().token();
        club.join(spec("B", "orders"));
        assertThat(club.group.generation()).isZero();
        assertThat(club.group.settling()).isTrue();
        assertThat(club.ask(new Command.Settle(first)).events()).isEmpty();
        club.settle();
        assertThat(club.group.generation()).isEqualTo(1);
        assertThat(club.owned("A")).hasSize(2);
        assertThat(club.owned("B")).hasSize(2);
        assertThat(club.group.history().getLast().cause()).isEqualTo("A and B joined");
        assertThat(club.group.settling()).isFalse();
    }

    @Test
    void aPartitionChangesHandsOnlyWhenItsOwnerLetGo() {
        club.arrive(spec("A", "orders"));
        club.join(spec("B", "orders"));
        club.settle();
        assertThat(club.owned("A")).hasSize(4);
        assertThat(club.owned("B")).isEmpty();
        assertThat(club.group.wishes()).containsExactly(new Wish.RevokeDeadline(id("A"), 2, Timing.DEFAULT.revoke()));
        club.releaseAll();
        assertThat(club.owned("A")).isEqualTo(partitions("orders", 0, 1));
        assertThat(club.owned("B")).isEqualTo(partitions("orders", 2, 3));
        assertThat(club.group.wishes()).isEmpty();
        club.ask(new Command.Commit(id("B"), 2, offsets("orders", 2, 10)));
        assertThat(club.group.offsets()).hasSize(1);
        assertThat(GroupJson.replay(Group.empty(), GroupJson.snapshot(club.group, 5, Club.HOST)))
                .isEqualTo(club.group);
    }
}
