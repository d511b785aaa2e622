package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.PartitionLog;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.PacedMachine;
import dev.muster.testkit.disk.RecordingDisk;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The calls that the store makes to the disk at {@code sync=commit}, in order. The order keeps the promise: content and
 * name of a record's file are synced before the acknowledgement, and a deletion is recorded before files are deleted. A
 * change of this text is a change of that promise, and must be reviewed as one.
 */
class DiskTranscriptTest {
    private static final Path ROOT = Path.of("/data");
    private static final UUID BOOT = new UUID(1, 1);

    private final PacedMachine pace = new PacedMachine();
    private final RecordingDisk disk = new RecordingDisk(new MemoryDisk().process(pace), ROOT)
            .show(Pattern.compile(BOOT.toString()), "<boot>")
            .show(Pattern.compile("0{19}(?=\\d)"), "0~")
            .hide(Pattern.compile("^.coordinator/(hosts|housekeeping|wake|leader|drafts/[^/]+\\.lock)"));

    @Test
    void diskCallsHaveTheExpectedOrder() {
        disk.heading("open a new directory");
        Clock clock = Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);
        try (FileStore store = FileStore.open(ROOT, Stores.options(disk, BOOT).withClock(clock))) {
            // The upkeep runs at any time, and changes which call must sync.
            pace.awaitRest();
            TopicName orders = new TopicName("orders");
            disk.heading("create a topic of one partition");
            Topic topic = store.create(orders, 1, TopicSettings.DEFAULT.withSegmentBytes(1024));
            PartitionLog log = store.log(topic.id(), 0);
            long next = 1;
            disk.heading("first append");
            append(log, next++);
            disk.heading("second append");
            append(log, next++);
            while (log.sizeBytes() < 900) {
                disk.heading("append");
                append(log, next++);
            }
            disk.heading("append that begins a new segment");
            append(log, next++);
            disk.heading("trim to the end");
            log.trim(log.endOffset());
            disk.heading("raise the number of partitions to two");
            store.addPartitions(orders, 2);
            disk.heading("delete the topic");
            store.delete(orders);
            disk.heading("close");
        }
        assertThat(disk.transcript()).isEqualTo("""
            open a new directory
              mkdir  .
              sync   ..
              create muster.json.<id>.tmp
              write  muster.json.<id>.tmp 0..122
              sync   muster.json.<id>.tmp
              link   muster.json.<id>.tmp -> muster.json
              delete muster.json.<id>.tmp
              sync   .
              mkdir  topics
              mkdir  logs
              mkdir  .coordinator/drafts
              mkdir  .trash
              sync   .
              create .coordinator/drafts/<id>.json
              write  .coordinator/drafts/<id>.json 0..122
              sync   .coordinator/drafts/<id>.json
              rename .coordinator/drafts/<id>.json -> .coordinator/muster.json
              sync   .coordinator
            create a topic of one partition
              mkdir  logs/<id>/partition-0
              sync   logs/<id>
              sync   logs
              mkdir  .coordinator/drafts/<id>
              create .coordinator/drafts/<id>/topic.json
              write  .coordinator/drafts/<id>/topic.json 0..516
              sync   .coordinator/drafts/<id>/topic.json
              sync   .coordinator/drafts/<id>
              create .coordinator/topics.lock
              rename .coordinator/drafts/<id> -> topics/orders
              sync   topics
              create .coordinator/drafts/<id>.json
              write  .coordinator/drafts/<id>.json 0..516
              sync   .coordinator/drafts/<id>.json
              rename .coordinator/drafts/<id>.json -> logs/<id>/topic.json
              sync   logs/<id>
              page   logs/<id>/control-<boot>
              page   logs/<id>/partition-0/control-<boot>
            first append
              create logs/<id>/partition-0/0~0.log
              write  logs/<id>/partition-0/0~0.log 0..131
              write  logs/<id>/partition-0/0~0.log 131..297
              sync   logs/<id>/partition-0/0~0.log
              sync   logs/<id>/partition-0
            second append
              write  logs/<id>/partition-0/0~0.log 297..447
              sync   logs/<id>/partition-0/0~0.log
            append
              write  logs/<id>/partition-0/0~0.log 447..785
              sync   logs/<id>/partition-0/0~0.log
            append
              write  logs/<id>/partition-0/0~0.log 785..914
              sync   logs/<id>/partition-0/0~0.log
            append that begins a new segment
              write  logs/<id>/partition-0/0~0.log 914..1045
              sync   logs/<id>/partition-0
              create logs/<id>/partition-0/0~0.index
              write  logs/<id>/partition-0/0~0.index 0..32
              create logs/<id>/partition-0/0~4.log
              write  logs/<id>/partition-0/0~4.log 0..131
              write  logs/<id>/partition-0/0~4.log 131..501
              sync   logs/<id>/partition-0/0~4.log
              sync   logs/<id>/partition-0
              create logs/<id>/partition-0/checkpoint
              write  logs/<id>/partition-0/checkpoint 0..36
              sync   logs/<id>/partition-0/checkpoint
              sync   logs/<id>/partition-0
            trim to the end
              write  logs/<id>/partition-0/0~4.log 501..632
              sync   logs/<id>/partition-0
              create logs/<id>/partition-0/0~4.index
              write  logs/<id>/partition-0/0~4.index 0..32
              create logs/<id>/partition-0/0~5.log
              write  logs/<id>/partition-0/checkpoint 36..72
              sync   logs/<id>/partition-0/checkpoint
              sync   logs/<id>/partition-0
              delete logs/<id>/partition-0/0~0.log
              delete logs/<id>/partition-0/0~0.index
              delete logs/<id>/partition-0/0~4.log
              delete logs/<id>/partition-0/0~4.index
            raise the number of partitions to two
              mkdir  logs/<id>/partition-1
              sync   logs/<id>
              create .coordinator/drafts/<id>.json
              write  .coordinator/drafts/<id>.json 0..516
              sync   .coordinator/drafts/<id>.json
              rename .coordinator/drafts/<id>.json -> topics/orders/topic.json
              sync   topics/orders
              create .coordinator/drafts/<id>.json
              write  .coordinator/drafts/<id>.json 0..516
              sync   .coordinator/drafts/<id>.json
              rename .coordinator/drafts/<id>.json -> logs/<id>/topic.json
              sync   logs/<id>
            delete the topic
              create .coordinator/deleted-topics.jsonl
              write  .coordinator/deleted-topics.jsonl 0..113
              sync   .coordinator/deleted-topics.jsonl
              sync   .coordinator
              rename topics/orders -> .coordinator/drafts/<id>.taken-topic
              rename .coordinator/drafts/<id>.taken-topic -> .trash/<id>.topic
              sync   topics
              sync   .trash
              rename logs/<id> -> .trash/<id>.logs
              write  .coordinator/deleted-topics.jsonl 113..181
              delete .trash/<id>.logs/control-<boot>
              delete .trash/<id>.logs/partition-0/0~5.log
              delete .trash/<id>.logs/partition-0/checkpoint
              delete .trash/<id>.logs/partition-0/control-<boot>
              delete .trash/<id>.logs/partition-0
              delete .trash/<id>.logs/partition-1
              delete .trash/<id>.logs/topic.json
              delete .trash/<id>.logs
              delete .trash/<id>.topic/topic.json
              delete .trash/<id>.topic
            close
            """);
    }

    private static void append(PartitionLog log, long number) {
        long offset = log.append(NumberedRecords.batch(number, 1));
        log.awaitDurable(offset + 1);
    }
}
