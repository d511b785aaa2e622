package dev.muster.kafka;

import dev.muster.engine.group.ClassicGroups;
import dev.muster.engine.group.GroupThread;
import dev.muster.engine.group.RemoteGroups;
import dev.muster.engine.group.ServedGroups;
import dev.muster.engine.group.SystemSurroundings;
import dev.muster.kafka.api.Apis;
import dev.muster.kafka.log.Arrivals;
import dev.muster.kafka.log.Flusher;
import dev.muster.kafka.log.PartitionSyncs;
import dev.muster.kafka.log.PartitionWriters;
import dev.muster.kafka.log.ReaderPool;
import dev.muster.kafka.log.SideBySide;
import dev.muster.kafka.sasl.Gate;
import dev.muster.store.LogStore;
import java.time.Clock;

/** What all connections of a server share. */
public final class Broker implements AutoCloseable {
    private final LogStore store;
    private final ServerConfig config;
    private final Gate gate;
    private final HostAndPort advertised;
    private final Clock clock;
    private final TopicDirectory topics;
    private final FrameMemory frames;
    private final Flusher flusher;
    private final PartitionSyncs syncs;
    private final SideBySide sideBySide = new SideBySide();
    private final PartitionWriters writers;
    private final ReaderPool readers;
    private final AnswerMemory answers;
    private final GroupThread groupThread;
    private final ServedGroups groups;
    private final ClassicGroups classicGroups;
    private final RemoteGroups remoteGroups;
    private final Arrivals arrivals;
    private final Apis apis;
    private volatile boolean closing;

    Broker(LogStore store, ServerConfig config, Gate gate, HostAndPort advertised, Clock clock) {
        this.store = store;
        this.config = config;
        this.gate = gate;
        this.advertised = advertised;
        this.clock = clock;
        this.topics = new TopicDirectory(store, config);
        this.frames = new FrameMemory(Math.min(config.queuedBytesMax(), heap() / 4));
        this.flusher = new Flusher();
        this.syncs = new PartitionSyncs();
        this.writers = new PartitionWriters(System::nanoTime);
        this.readers = new ReaderPool(heap() / 8);
        this.answers = new AnswerMemory(heap() / 8);
        this.groupThread = new GroupThread(store, new SystemSurroundings());
        this.groups = new ServedGroups(groupThread.service());
        this.classicGroups = new ClassicGroups(groupThread.service(), config.groups());
        this.remoteGroups = new RemoteGroups(groupThread.service(), config.remoteGroups());
        this.arrivals = new Arrivals();
        this.apis = Apis.of(this);
    }

    public LogStore store() {
        return store;
    }

    public ServerConfig config() {
        return config;
    }

    /** The largest request: as configured, and never so large that a few of them could fill the heap. */
    int requestBytesMax() {
        return (int) Math.min(config.requestBytesMax(), heap() / 8);
    }

    private static long heap() {
        return Runtime.getRuntime().maxMemory();
    }

    /** Who is let in. */
    Gate gate() {
        return gate;
    }

    /** Where clients find this broker. */
    public HostAndPort advertised() {
        return advertised;
    }

    public Clock clock() {
        return clock;
    }

    public TopicDirectory topics() {
        return topics;
    }

    FrameMemory frames() {
        return frames;
    }

    public Flusher flusher() {
        return flusher;
    }

    public PartitionSyncs syncs() {
        return syncs;
    }

    /** For work on many topics. */
    public SideBySide sideBySide() {
        return sideBySide;
    }

    public PartitionWriters writers() {
        return writers;
    }

    public ReaderPool readers() {
        return readers;
    }

    public AnswerMemory answers() {
        return answers;
    }

    /** What there is to know of any group. */
    public ServedGroups groups() {
        return groups;
    }

    /** Groups of clients of the classic protocol. */
    public ClassicGroups classicGroups() {
        return classicGroups;
    }

    /** Groups of clients of the new protocol. */
    public RemoteGroups remoteGroups() {
        return remoteGroups;
    }

    /** A client ended its connection; not we. */
    void hungUp(Client client) {
        if (!closing) {
            classicGroups.hungUp(client.connection());
            remoteGroups.hungUp(client.connection());
        }
    }

    public Arrivals arrivals() {
        return arrivals;
    }

    public Apis apis() {
        return apis;
    }

    /** Whether nobody should wait any more for what may come. */
    public boolean isClosing() {
        return closing;
    }

    void beginClosing() {
        closing = true;
        arrivals.wakeAll();
        classicGroups.close();
    }

    @Override
    public void close() {
        classicGroups.close();
        groupThread.close();
        flusher.close();
        syncs.close();
        sideBySide.close();
        writers.close();
        arrivals.close();
        readers.close();
    }
}
