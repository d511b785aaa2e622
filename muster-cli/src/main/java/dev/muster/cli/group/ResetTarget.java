package dev.muster.cli.group;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.Moments;
import dev.muster.core.TopicPartition;
import dev.muster.embedded.admin.PartitionInfo;
import dev.muster.embedded.admin.Topics;
import java.time.Clock;
import java.time.Instant;
import java.util.OptionalLong;
import picocli.CommandLine.Option;

/** The target of {@code reset}. Exactly one option is given. */
final class ResetTarget {
    @Option(names = "--to-earliest", description = "To the first record.")
    private boolean earliest;

    @Option(names = "--to-latest", description = "After the last record.")
    private boolean latest;

    @Option(names = "--to-offset", paramLabel = "N", description = "To this offset.")
    private Long offset;

    @Option(
            names = {"--to-time", "--to-datetime"},
            paramLabel = "TIME",
            description = "To the first record of this time or later.")
    private String time;

    @Option(names = "--shift-by", paramLabel = "N", description = "By N records forward, or back if negative.")
    private Long shift;

    @Option(names = "--forget", description = "Delete the offset, as if the group had never read the partition.")
    private boolean forget;

    void validate(Clock clock) {
        int chosen = (earliest ? 1 : 0)
                + (latest ? 1 : 0)
                + (offset == null ? 0 : 1)
                + (time == null ? 0 : 1)
                + (shift == null ? 0 : 1)
                + (forget ? 1 : 0);
        if (chosen != 1) {
            throw CommandException.usage(
                    chosen == 0 ? "no target is given" : "more than one target is given",
                    "one of --to-earliest, --to-latest, --to-offset N, --to-time T, --shift-by N, --forget");
        }
        if (offset != null && offset < 0) {
            throw CommandException.usage(
                    "--to-offset: an offset is not negative: " + offset,
                    "--shift-by " + offset + " goes back from where the group is, --to-earliest to the first record");
        }
        time(clock);
    }

    boolean isForget() {
        return forget;
    }

    private Instant time(Clock clock) {
        return RootCommand.argument("--to-time", time, text -> Moments.parse(text, clock.instant(), clock.getZone()));
    }

    /** The offset of this target, limited to the log. */
    long in(TopicPartition partition, PartitionInfo info, OptionalLong committed, Topics topics, Clock clock) {
        long wanted = wanted(partition, info, committed, topics, clock);
        return Math.clamp(wanted, info.startOffset(), info.endOffset());
    }

    private long wanted(
            TopicPartition partition, PartitionInfo info, OptionalLong committed, Topics topics, Clock clock) {
        if (earliest) {
            return info.startOffset();
        }
        if (latest) {
            return info.endOffset();
        }
        if (offset != null) {
            return offset;
        }
        if (shift != null) {
            long from = committed.orElseThrow(() -> new CommandException(
                    ExitCode.REFUSED,
                    partition + " has no commit that could be shifted",
                    "choose partitions with --topic T:P, or --to-earliest"));
            return saturatedSum(from, shift);
        }
        return topics.offsetAt(partition.topic().value(), partition.partition(), time(clock))
                .map(found -> found.offset())
                .orElse(info.endOffset());
    }

    private static long saturatedSum(long offset, long shift) {
        return shift > 0 && offset > Long.MAX_VALUE - shift ? Long.MAX_VALUE : offset + shift;
    }
}
