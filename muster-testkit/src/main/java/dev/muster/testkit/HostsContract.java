package dev.muster.testkit;

import static dev.muster.testkit.ContractRecords.append;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.Lease;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The tests of hosts, and of calls at changes of topics. Part of {@link GroupStoreContract}. */
public interface HostsContract {
    long TIME_MAX_SECONDS = 20;

    LogStore open();

    /** Opens the same store as another process would. */
    LogStore openBeside(LogStore first);

    // ---- topics

    @Test
    default void everyProcessIsCalledAtEachChangeOfATopic() throws Exception {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            TopicName orders = new TopicName("orders");
            Semaphore calls = new Semaphore(0);
            try (var _ = beside.onTopicsChange(calls::release)) {
                List<Runnable> changes = List.of(
                        () -> store.create(orders, 1, TopicSettings.DEFAULT),
                        () -> store.addPartitions(orders, 2),
                        () -> store.alter(orders, TopicSettings.DEFAULT.withRetention(Duration.ofHours(1))),
                        () -> store.delete(orders));
                for (Runnable change : changes) {
                    beside.groups().hosts().renew();
                    store.groups().hosts().renew();
                    long before = beside.topicsVersion();
                    assertThat(store.topicsVersion()).isEqualTo(before);
                    calls.drainPermits();
                    change.run();
                    beside.groups().hosts().renew();
                    assertThat(beside.topicsVersion()).isGreaterThan(before);
                    assertThat(calls.tryAcquire(TIME_MAX_SECONDS, TimeUnit.SECONDS))
                            .isTrue();
                }
            }
        }
    }

    // ---- freshness

    @Test
    default void aRefreshShowsTheRecordsOfOtherProcesses() {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            Topic topic = store.create(new TopicName("orders"), 1, TopicSettings.DEFAULT);
            PartitionLog written = store.log(topic.id(), 0);
            PartitionLog read = beside.log(topic.id(), 0);
            long known = 0;
            for (int i = 0; i < 50; i++) {
                append(written, "v" + i);
                long end = written.endOffset();
                assertThat(read.endOffset()).as("end without a refresh").isBetween(known, end);
                known = read.refresh();
                assertThat(known).as("end after a refresh").isEqualTo(end);
                for (int again = 0; again < 5; again++) {
                    assertThat(read.endOffset()).as("the end never falls").isEqualTo(end);
                }
            }
        }
    }

    @Test
    default void aRenewalConfirmsWhatOtherProcessesAppended() {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            Topic topic = store.create(new TopicName("orders"), 1, TopicSettings.DEFAULT);
            PartitionLog written = store.log(topic.id(), 0);
            PartitionLog read = beside.log(topic.id(), 0);
            GroupName workers = new GroupName("workers");
            GroupJournal journal = store.groups().open(workers);
            GroupJournal other = beside.groups().open(workers);
            for (int i = 0; i < 50; i++) {
                append(written, "v" + i);
                assertThat(journal.append(i, "\"" + i + "\"")).isTrue();
                assertThat(other.endVersion()).isLessThanOrEqualTo(i + 1);
                Lease lease = beside.groups().hosts().renew();
                assertThat(lease.valid()).isPositive();
                assertThat(other.endVersion()).isEqualTo(i + 1);
                assertThat(read.endOffset()).isEqualTo(written.endOffset());
            }
        }
    }

    // ---- hosts

    @Test
    default void hostsSeeTheRenewalsOfOtherHosts() {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            HostId self = store.groups().hosts().self();
            HostId other = beside.groups().hosts().self();
            assertThat(self).isNotEqualTo(other);
            assertThat(store.groups().hosts().self()).isEqualTo(self);
            long before = beside.groups().hosts().renewals(self).orElseThrow();
            store.groups().hosts().renew();
            assertThat(beside.groups().hosts().renewals(self).orElseThrow()).isGreaterThan(before);
            assertThat(store.groups().hosts().renewals(self).orElseThrow()).isGreaterThan(before);
            assertThat(beside.groups().hosts().gone(self)).isFalse();
            assertThat(beside.groups().hosts().gone(other)).isFalse();
            assertThat(store.groups().hosts().gone(other)).isFalse();
        }
    }

    @Test
    default void aHostIsGoneAfterItsStoreIsClosed() throws Exception {
        try (LogStore store = open()) {
            BlockingQueue<HostId> gone = new LinkedBlockingQueue<>();
            LogStore beside = openBeside(store);
            HostId other = beside.groups().hosts().self();
            store.groups().hosts().watch(other, gone::add).close();
            try (var _ = store.groups().hosts().watch(other, gone::add);
                    var _ = store.groups().hosts().watch(store.groups().hosts().self(), gone::add)) {
                assertThat(store.groups().hosts().renewals(other)).isPresent();
                assertThat(gone).isEmpty();
                beside.close();
                assertThat(gone.poll(TIME_MAX_SECONDS, TimeUnit.SECONDS)).isEqualTo(other);
                assertThat(store.groups().hosts().gone(other)).isTrue();
                assertThat(store.groups().hosts().renewals(other)).isEmpty();
                try (var _ = store.groups().hosts().watch(other, gone::add)) {
                    assertThat(gone.poll(TIME_MAX_SECONDS, TimeUnit.SECONDS))
                            .as("host that was gone before the registration")
                            .isEqualTo(other);
                }
            }
            assertThat(gone).as("hosts reported twice").isEmpty();
        }
    }

    @Test
    default void aHostThatNeverExistedIsGone() throws Exception {
        try (LogStore store = open()) {
            HostId never = new HostId("never");
            assertThat(store.groups().hosts().gone(never)).isTrue();
            assertThat(store.groups().hosts().renewals(never)).isEmpty();
            BlockingQueue<HostId> gone = new LinkedBlockingQueue<>();
            try (var _ = store.groups().hosts().watch(never, gone::add)) {
                assertThat(gone.poll(TIME_MAX_SECONDS, TimeUnit.SECONDS)).isEqualTo(never);
            }
        }
    }
}
