package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.SyncFailedException;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.Stores;
import dev.muster.store.file.log.FilePartition;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.DiskCall.Kind;
import dev.muster.testkit.disk.DiskFault;
import dev.muster.testkit.disk.FaultyDisk;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.PacedMachine;
import dev.muster.testkit.disk.SimulatedProcess;
import dev.muster.testkit.disk.Tear;
import java.nio.file.Path;
import java.util.Random;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: whatever disk call fails, the operation fails with an error that names the problem. No acknowledged record is
 * lost, no refused record is seen, and work continues when the cause is gone. Method: SQLite's loop. The n-th call of
 * an operation fails, for n = 1, 2, 3… until the operation makes fewer calls than that. No other thread makes calls
 * meanwhile: the upkeep runs after the operation, and only if the disk keeps failing.
 */
@ExtendWith(ExpectedTrouble.class)
class EveryCallFailsIT {
    private static final Path DIRECTORY = Path.of("/data");
    private static final TopicName TOPIC = new TopicName("orders");
    private static final TopicName OTHER = new TopicName("other");
    private static final int CALLS_MAX = 500;

    private enum Trouble {
        IO_ERROR(fault -> fault),
        IO_ERROR_FROM_THEN_ON(DiskFault::fromThenOn),
        DISK_FULL(fault -> fault.noRoom(0.5)),
        DISK_FULL_FROM_THEN_ON(fault -> fault.noRoom(0.9).fromThenOn()),
        TOO_MANY_OPEN_FILES(DiskFault::tooManyOpenFiles);

        private final UnaryOperator<DiskFault> shape;

        Trouble(UnaryOperator<DiskFault> shape) {
            this.shape = shape;
        }
    }

    private enum Operation {
        OPEN {
            @Override
            void run(Scene scene) {
                Stores.open(scene.disk, DIRECTORY, scene.boot).close();
            }
        },
        CREATE_TOPIC {
            @Override
            void run(Scene scene) {
                scene.store.create(OTHER, 2, TopicSettings.DEFAULT);
            }

            @Override
            void again(Scene scene) {
                try {
                    run(scene);
                } catch (TopicExistsException e) {
                    assertThat(scene.store.find(OTHER)).isPresent();
                }
                Topic other = scene.store.find(OTHER).orElseThrow();
                PartitionLog log = scene.store.log(other.id(), 1);
                log.awaitDurable(log.append(NumberedRecords.batch(1, 1)) + 1);
            }
        },
        FIRST_APPEND {
            @Override
            void run(Scene scene) {
                scene.append(1, 2);
            }
        },
        APPEND {
            @Override
            void run(Scene scene) {
                scene.append(0, 2);
            }
        },
        APPEND_THAT_ROLLS {
            @Override
            void run(Scene scene) {
                for (int i = 0; i < 8; i++) {
                    scene.append(0, 4);
                }
            }
        },
        SYNC {
            @Override
            void before(Scene scene) {
                scene.ledgers[0].sending(scene.next, 2);
                scene.log(0).append(NumberedRecords.batch(scene.next, 2));
                scene.next += 2;
            }

            @Override
            void run(Scene scene) {
                ((FilePartition) scene.log(0)).sync();
            }

            @Override
            void again(Scene scene) {
                // Records that could not be synced are given up for good when the log continues.
                scene.append(0, 1);
                run(scene);
            }
        },
        READ {
            @Override
            void run(Scene scene) {
                scene.check(scene.store);
            }
        },
        FIND_BY_TIME {
            @Override
            void run(Scene scene) {
                assertThat(scene.log(0)
                                .firstAtOrAfter(NumberedRecords.timestamp(3))
                                .orElseThrow()
                                .offset())
                        .isEqualTo(3);
            }
        },
        TRIM {
            @Override
            void run(Scene scene) {
                scene.ledgers[0].trim(scene.log(0), 6);
            }
        },
        DELETE {
            @Override
            void run(Scene scene) {
                scene.store.delete(OTHER);
            }

            @Override
            void before(Scene scene) {
                Topic other = scene.store.create(OTHER, 2, TopicSettings.DEFAULT);
                scene.store.log(other.id(), 0).append(NumberedRecords.batch(1, 1));
            }

            @Override
            void again(Scene scene) {
                try {
                    run(scene);
                } catch (TopicNotFoundException e) {
                    assertThat(scene.store.find(OTHER)).isEmpty();
                }
                assertThat(scene.store.find(OTHER)).isEmpty();
                scene.store.create(OTHER, 1, TopicSettings.DEFAULT);
            }
        },
        ADD_PARTITIONS {
            @Override
            void run(Scene scene) {
                scene.store.addPartitions(TOPIC, 4);
            }

            @Override
            void again(Scene scene) {
                if (scene.store.find(TOPIC).orElseThrow().partitions() != 4) {
                    run(scene);
                }
                assertThat(scene.store.partitions(scene.topic.id())).isEqualTo(4);
                scene.log(3).append(NumberedRecords.batch(1, 1));
            }
        },
        ALTER {
            @Override
            void run(Scene scene) {
                scene.store.alter(TOPIC, scene.topic.settings().with("segment.bytes", "4096"));
            }
        },
        NEW_PRODUCER_ID {
            @Override
            void run(Scene scene) {
                scene.store.newProducerId();
            }
        };

        abstract void run(Scene scene);

        /** Runs on a good disk, before the fault. */
        void before(Scene scene) {}

        /** Runs on a good disk, after the fault: the same store must succeed now. */
        void again(Scene scene) {
            run(scene);
        }
    }

    /** A directory with a topic and some records, opened by a store on a disk that can be made to fail. */
    private static final class Scene {
        final UUID boot = new UUID(7, 7);
        final MemoryDisk machine = new MemoryDisk();
        final PacedMachine pace = new PacedMachine();
        final SimulatedProcess process = machine.process(pace);
        final FaultyDisk disk = new FaultyDisk(process);
        final LogStore store = Stores.open(disk, DIRECTORY, boot);
        final Topic topic = store.create(
                TOPIC,
                2,
                TopicSettings.DEFAULT
                        .with("retention.ms", "-1")
                        .withSegmentBytes(2048)
                        .with("index.interval.bytes", "256"));
        final Ledger[] ledgers = {new Ledger(), new Ledger()};
        long next;

        Scene() {
            pace.awaitRest();
            for (int i = 0; i < 6; i++) {
                append(0, 2);
            }
        }

        PartitionLog log(int partition) {
            return store.log(topic.id(), partition);
        }

        void append(int partition, int count) {
            long first = next;
            next += count;
            ledgers[partition].sending(first, count);
            long offset;
            try {
                offset = log(partition).append(NumberedRecords.batch(first, count));
            } catch (MusterException e) {
                ledgers[partition].refused(first, count);
                throw e;
            }
            try {
                log(partition).awaitDurable(offset + count);
            } catch (SyncFailedException e) {
                // The records were given up, and stay given up.
                ledgers[partition].refused(first, count);
                throw e;
            }
            ledgers[partition].acknowledged(offset, first, count);
        }

        /** Whichever process made the failed sync, the records that it should have covered may be skipped. */
        void noteFailedSyncs() {
            for (int partition = 0; partition < ledgers.length; partition++) {
                String folder = topic.id() + "/partition-" + partition;
                long failed = disk.fired(call -> (call.is(Kind.SYNC) || call.is(Kind.SYNC_FOLDER))
                        && call.file().toString().contains(folder));
                if (failed > 0) {
                    ledgers[partition].allowGaps();
                }
            }
        }

        void check(LogStore any) {
            for (int partition = 0; partition < ledgers.length; partition++) {
                ledgers[partition].check(any.log(topic.id(), partition));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyCallOfAnOperationMayFail(Operation operation) {
        for (Trouble trouble : Trouble.values()) {
            int failed = 0;
            for (int n = 1; ; n++) {
                assertThat(n).as("calls of %s", operation).isLessThan(CALLS_MAX);
                try {
                    if (!happens(operation, trouble, n)) {
                        break;
                    }
                    failed++;
                } catch (RuntimeException | AssertionError e) {
                    throw new AssertionError(operation + " with " + trouble + " at call " + n, e);
                }
            }
            System.out.printf("every call fails: %s %s calls=%d%n", operation, trouble, failed);
        }
    }

    /** @return true if the fault occurred */
    private static boolean happens(Operation operation, Trouble trouble, int n) {
        Scene scene = new Scene();
        operation.before(scene);
        scene.disk.arm(trouble.shape.apply(DiskFault.at().nth(n)));
        try {
            operation.run(scene);
        } catch (MusterException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        boolean met = scene.disk.fired() > 0;
        if (trouble == Trouble.IO_ERROR_FROM_THEN_ON) {
            // The upkeep, which syncs unsynced records, uses the disk with its fault.
            scene.pace.keepHouse();
        }
        scene.noteFailedSyncs();
        scene.disk.heal();
        goesOn(operation, scene);
        return met;
    }

    private static void goesOn(Operation operation, Scene scene) {
        operation.again(scene);
        scene.append(0, 1);
        scene.append(1, 1);
        scene.check(scene.store);

        SimulatedProcess other = scene.machine.process();
        try (LogStore store = Stores.open(other, DIRECTORY, scene.boot)) {
            scene.check(store);
        }
        scene.store.close();
        assertThat(scene.process.openFiles()).as("files left open").isZero();
        assertThat(other.openFiles()).as("files left open").isZero();

        scene.machine.powerCut(new Random(1), Tear.BYTES);
        try (LogStore store = Stores.open(scene.machine.process(), DIRECTORY, new UUID(8, 8))) {
            scene.check(store);
        }
        Stores.checkIsClean(scene.machine, DIRECTORY, new UUID(8, 8));
    }
}
