package dev.muster.cli.consume;

import dev.muster.cli.command.Opener;
import dev.muster.cli.command.ProgressLine;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.Session;
import dev.muster.cli.command.TimeLimit;
import dev.muster.cli.text.ByteSink;
import dev.muster.cli.text.Place;
import dev.muster.cli.text.RecordWriter;
import dev.muster.core.TopicPartition;
import dev.muster.embedded.CommitRefusedException;
import dev.muster.embedded.ConsumerBuilder;
import dev.muster.embedded.Muster;
import dev.muster.embedded.OnDamage;
import dev.muster.embedded.Received;
import dev.muster.store.DamagedLogException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * {@code consume -g}: joins a group, passes its records to stdout or to a command, and leaves the group at the end.
 *
 * @param command the words after {@code --}; empty for stdout
 * @param onDamage called for records that cannot be read and are left out
 */
record GroupConsume(
        RootCommand root,
        GroupOptions options,
        RecordOutput output,
        List<String> topics,
        List<String> command,
        Place from,
        boolean exit,
        boolean await,
        long count,
        TimeLimit limit,
        Consumer<DamagedLogException> onDamage) {
    private static final int BUFFER_BYTES = 256 << 10;
    private static final int RECORDS_MAX = 500;
    private static final Duration LONGEST_POLL = Duration.ofSeconds(5);
    private static final Duration LONGEST_POLL_TO_END = Duration.ofMillis(50);
    /** The time to finish records in progress, commit and leave, after a signal. */
    private static final Duration GRACE = Duration.ofSeconds(15);

    void run(Opener.Opened opened) {
        Muster muster = opened.muster();
        Session session = root.session();
        if (!await) {
            topics.forEach(topic -> muster.topics().describe(topic));
        }
        session.stop().allow(GRACE);
        ProgressLine progress = new ProgressLine(
                session, "records", !root.quiet() && !session.terminal().out());
        MemberRun run = new MemberRun(
                new AssignmentNotes(root, options.name()),
                session.stop(),
                progress,
                exit ? endOfOwned(opened) : null,
                count,
                lookEvery(),
                limit);
        // The delivery outlives the membership: a command that ends slowly does not delay other members.
        Delivery delivery = null;
        try {
            try (dev.muster.embedded.GroupConsumer<byte[], byte[]> consumer =
                    builder(muster).listener(run).open()) {
                delivery = delivery(consumer);
                run.work(consumer, delivery);
            }
        } finally {
            progress.clear();
            if (delivery != null) {
                delivery.close();
            }
        }
    }

    private EndOfOwned endOfOwned(Opener.Opened opened) {
        return new EndOfOwned(
                partition -> endOffset(opened.muster(), partition),
                () -> opened.groups().state(options.group()));
    }

    private static long endOffset(Muster muster, TopicPartition partition) {
        return muster.topics()
                .partition(partition.topic().value(), partition.partition())
                .endOffset();
    }

    /**
     * The interval between looks: that of commits, since only arrived records can be committed; short if an end may be
     * near.
     */
    private Duration lookEvery() {
        Duration longest = exit ? LONGEST_POLL_TO_END : LONGEST_POLL;
        Duration commitEvery = options.commitEvery();
        boolean shorter = commitEvery != null && commitEvery.isPositive() && commitEvery.compareTo(longest) < 0;
        return shorter ? commitEvery : longest;
    }

    private ConsumerBuilder<byte[], byte[]> builder(Muster muster) {
        ConsumerBuilder<byte[], byte[]> plain = muster.consumer(options.group(), topics.toArray(String[]::new))
                .from(Starts.of(from))
                .onDamage(OnDamage.SKIP, onDamage)
                // The signal ends the command in order, and the member with it.
                .closeOnShutdown(false)
                .maxRecords(Math.clamp(count, 1, RECORDS_MAX));
        return options.describe(plain);
    }

    private Delivery delivery(dev.muster.embedded.GroupConsumer<byte[], byte[]> consumer) {
        Session session = root.session();
        if (command.isEmpty()) {
            ByteSink out = new ByteSink(session.out(), BUFFER_BYTES);
            return new StreamDelivery(out, output.begin(root, out), () -> output.end(out), consumer::ack);
        }
        ChildCommand child = new ChildCommand(session, command);
        if (options.each()) {
            RecordWriter writer = output.writer(root, RecordWriter.VALUE);
            return new EachDelivery(root, child, writer, options.retries(), record -> processed(consumer, record));
        }
        RecordWriter writer = output.writer(root, RecordWriter.VALUE_LINES);
        return new PipeDelivery(child, writer, session.stop(), consumer::wakeup, consumer::ack);
    }

    /** Commits after each record unless an interval is given: beside the start of a process a commit costs nothing. */
    private void processed(
            dev.muster.embedded.GroupConsumer<byte[], byte[]> consumer, Received<byte[], byte[]> record) {
        consumer.ack(record);
        if (options.commitEvery() == null) {
            try {
                consumer.commit();
            } catch (CommitRefusedException e) {
                root.note("muster: " + e.getMessage());
            }
        }
    }
}
