package dev.muster.embedded.internal;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.embedded.Codec;
import dev.muster.embedded.CommitRefusedException;
import dev.muster.embedded.FencedMemberException;
import dev.muster.embedded.GroupAssignment;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Received;
import dev.muster.embedded.Start;
import dev.muster.engine.group.member.GroupHooks;
import dev.muster.engine.group.member.GroupReader;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.runtime.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** A {@link GroupReader} with codecs, the user's listener, and a check of the calling thread. */
final class LocalConsumer<K, V> implements GroupConsumer<K, V> {
    private final OpenMuster muster;
    private final RecordDecoding<K, V> decoding;
    private final ConsumerPlan plan;
    private final GroupReader reader;
    private final SingleThreadGuard user;
    private volatile GroupAssignment assignment = new GroupAssignment("", 0, Collections.emptySortedSet());
    private volatile PolledRecords<K, V> polled = new PolledRecords<>(List.of());

    LocalConsumer(OpenMuster muster, GroupService service, Codec<K> keys, Codec<V> values, ConsumerPlan plan) {
        this.muster = muster;
        this.decoding = new RecordDecoding<>(keys, values);
        this.plan = plan;
        this.reader = new GroupReader(service, plan.memberOptions(), plan.policy(), new Hooks());
        this.user = new SingleThreadGuard("the consumer of group " + plan.group, this::end);
    }

    @Override
    public List<Received<K, V>> poll(Duration timeout) {
        long nanos = Deadline.nanos(timeout);
        return user.call(() -> {
            if (user.isClosed()) {
                return List.of();
            }
            if (user.isNested()) {
                throw new IllegalStateException(
                        "poll cannot be called from a listener, because poll is calling the listener: commit,"
                                + " seek and pause there, and let the listener return");
            }
            DecodedRecords<K, V> records = new DecodedRecords<>(decoding, polled.size());
            int count = reader.poll(plan.recordsMax, nanos, records);
            noteAssignment();
            polled = new PolledRecords<>(count == 0 ? List.of() : records.list);
            return polled;
        });
    }

    private void noteAssignment() {
        MemberId id = reader.id();
        GroupAssignment before = assignment;
        String member = id == null ? "" : id.value();
        if (before.generation() != reader.member().generation()
                || !before.member().equals(member)) {
            assignment = new GroupAssignment(member, reader.member().generation(), before.partitions());
        }
    }

    /** Calls the user's listener. {@link #assignment} is up to date before each call. */
    private final class Hooks implements GroupHooks {
        @Override
        public void assigned(long generation, SortedSet<TopicPartition> partitions) {
            change(partitions, true);
            plan.listener.assigned(generation, Collections.unmodifiableSortedSet(partitions));
        }

        @Override
        public SortedSet<TopicPartition> revoked(long generation, SortedSet<TopicPartition> partitions) {
            try {
                plan.listener.revoked(generation, Collections.unmodifiableSortedSet(partitions));
            } finally {
                change(partitions, false);
            }
            return partitions;
        }

        @Override
        public void lost(long generation, SortedSet<TopicPartition> partitions) {
            change(partitions, false);
            plan.listener.lost(generation, Collections.unmodifiableSortedSet(partitions));
        }

        @Override
        public RuntimeException fenced(String why) {
            return new FencedMemberException(why);
        }

        private void change(SortedSet<TopicPartition> partitions, boolean come) {
            SortedSet<TopicPartition> now = new TreeSet<>(assignment.partitions());
            if (come) {
                now.addAll(partitions);
            } else {
                now.removeAll(partitions);
            }
            MemberId id = reader.id();
            assignment = new GroupAssignment(
                    id == null ? "" : id.value(), reader.member().generation(), Collections.unmodifiableSortedSet(now));
        }
    }

    @Override
    public void commit() {
        user.run(() -> {
            countHandedOut();
            SortedMap<TopicPartition, CommittedOffset> offsets =
                    reader.commits().due();
            CommitRefusedException refused = refusal(reader.commits().commitNow(offsets));
            if (refused != null) {
                SortedMap<TopicPartition, CommittedOffset> rest = without(offsets, refused);
                if (!rest.isEmpty() && rest.size() < offsets.size()) {
                    refusal(reader.commits().commitNow(rest));
                }
                throw refused;
            }
        });
    }

    /**
     * Counts the records that poll returned as processed: a commit by the application means that they are. A listener
     * that commits during close is an exception. It cannot know how far a loop came that was left early, so the records
     * from the one in progress on do not count.
     */
    private void countHandedOut() {
        if (!plan.acks && user.isClosed()) {
            reader.commits().countHandedOutBut(polled.unfinished());
        } else if (!plan.acks) {
            reader.commits().countHandedOut();
        }
    }

    private static SortedMap<TopicPartition, CommittedOffset> without(
            SortedMap<TopicPartition, CommittedOffset> offsets, CommitRefusedException refused) {
        SortedMap<TopicPartition, CommittedOffset> rest = new TreeMap<>(offsets);
        rest.keySet().removeAll(refused.partitions());
        return rest;
    }

    private static CommitRefusedException refusal(Reply reply) {
        return switch (reply) {
            case Reply.Done _, Reply.Joined _, Reply.Classic _ -> null;
            case Reply.StaleGeneration(var why, var text) -> new CommitRefusedException(text, why.keySet());
            case Reply.Refusal refusal -> new CommitRefusedException(refusal.text(), Set.of());
        };
    }

    @Override
    public void commit(Map<TopicPartition, Long> next) {
        next.forEach((partition, offset) -> {
            if (offset < 0) {
                throw new IllegalArgumentException("an offset must not be negative: " + offset + " of " + partition);
            }
        });
        user.run(() -> {
            CommitRefusedException refused = refusal(reader.commits().commit(next));
            if (refused != null) {
                throw refused;
            }
        });
    }

    @Override
    public CompletableFuture<Void> commitAsync() {
        return user.call(() -> {
            countHandedOut();
            SortedMap<TopicPartition, CommittedOffset> offsets =
                    reader.commits().due();
            return reader.commits().commitAsync(offsets).thenCompose(reply -> {
                CommitRefusedException refused = refusal(reply);
                if (refused == null) {
                    return CompletableFuture.completedFuture(null);
                }
                SortedMap<TopicPartition, CommittedOffset> rest = without(offsets, refused);
                return rest.isEmpty() || rest.size() == offsets.size()
                        ? CompletableFuture.failedFuture(refused)
                        : reader.commits().commitAsync(rest).thenCompose(_ -> CompletableFuture.failedFuture(refused));
            });
        });
    }

    @Override
    public void ack(Received<K, V> record) {
        if (!plan.acks) {
            throw new IllegalStateException("ack is only for a consumer that was opened with ackEach()");
        }
        reader.commits().acknowledge(record.topicPartition(), record.offset());
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("an offset must not be negative: " + offset);
        }
        user.run(() -> reader.seek(partition, offset));
    }

    @Override
    public void seekToStart() {
        seekAll(Start.earliest());
    }

    @Override
    public void seekToEnd() {
        seekAll(Start.latest());
    }

    @Override
    public void seek(Instant time) {
        seekAll(Start.time(time));
    }

    private void seekAll(Start place) {
        user.run(() -> {
            for (TopicPartition partition : reader.positions().keySet()) {
                reader.seek(partition, StartOffset.of(place, muster.log(partition)));
            }
        });
    }

    @Override
    public void pause(Set<TopicPartition> partitions) {
        user.run(() -> reader.pause(partitions, true));
    }

    @Override
    public void resume(Set<TopicPartition> partitions) {
        user.run(() -> reader.pause(partitions, false));
    }

    @Override
    public Set<TopicPartition> paused() {
        return user.call(reader::paused);
    }

    @Override
    public GroupAssignment assignment() {
        return assignment;
    }

    @Override
    public Map<TopicPartition, Long> positions() {
        return user.call(reader::positions);
    }

    @Override
    public Map<TopicPartition, Long> committed(Set<TopicPartition> partitions) {
        return user.call(() -> reader.commits().committed(partitions));
    }

    @Override
    public void wakeup() {
        reader.wakeup();
    }

    @Override
    public void close() {
        try {
            user.close(reader::wakeup);
        } finally {
            ShutdownCloser.closedAlready(this);
            muster.closedAlready(this);
        }
    }

    /** Called once, by the thread that holds the guard. */
    private void end() {
        if (plan.commitEvery.isPresent()) {
            reader.commits().countHandedOutBut(polled.unfinished());
        }
        reader.close();
    }
}
