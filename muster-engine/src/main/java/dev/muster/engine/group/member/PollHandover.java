package dev.muster.engine.group.member;

import dev.muster.core.TopicPartition;
import dev.muster.engine.read.PartitionsReader;
import dev.muster.engine.read.RecordSink;
import dev.muster.store.batch.BatchDecoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Notes the records of one poll, so that they can be withdrawn before they reach the user. */
final class PollHandover implements RecordSink {
    private final PartitionsReader reader;
    private final Commits commits;
    private final List<Run> runs = new ArrayList<>();
    private GroupSink sink;
    private Run run;

    PollHandover(PartitionsReader reader, Commits commits) {
        this.reader = reader;
        this.commits = commits;
    }

    /** Consecutive records of one partition in one poll. */
    private static final class Run {
        private final TopicPartition partition;
        private final long first;
        private long[] offsets = new long[16];
        private int[] epochs = new int[16];
        private int count;

        Run(TopicPartition partition, long first) {
            this.partition = partition;
            this.first = first;
        }

        void add(long offset, int epoch) {
            if (count == offsets.length) {
                offsets = Arrays.copyOf(offsets, 2 * count);
                epochs = Arrays.copyOf(epochs, 2 * count);
            }
            offsets[count] = offset;
            epochs[count] = epoch;
            count++;
        }
    }

    void begin(GroupSink to) {
        sink = to;
        runs.clear();
        run = null;
    }

    @Override
    public void accept(TopicPartition from, BatchDecoder record) {
        sink.accept(from, record);
        if (run == null || run.partition != from) {
            run = new Run(from, record.offset());
            runs.add(run);
        }
        run.add(record.offset(), record.leaderEpoch());
    }

    /** Resets the positions: no record of the poll reaches the user, and all are fetched again. */
    void takeBack() {
        runs.stream().filter(one -> reader.reads(one.partition)).forEach(one -> reader.seek(one.partition, one.first));
        sink.withdraw();
    }

    /** Counts all records of the poll as handed out. */
    void done() {
        for (Run one : runs) {
            PartitionProgress of = commits.of(one.partition).orElseThrow();
            for (int i = 0; i < one.count; i++) {
                of.handsOut(one.offsets[i], one.epochs[i]);
            }
            of.handedOutUpTo(reader.position(one.partition));
            commits.handsOut(of);
        }
    }
}
