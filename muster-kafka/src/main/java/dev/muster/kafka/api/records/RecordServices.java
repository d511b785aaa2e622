package dev.muster.kafka.api.records;

import dev.muster.engine.partition.AppendNotifier;
import dev.muster.engine.partition.Flusher;
import dev.muster.engine.partition.PartitionSyncs;
import dev.muster.engine.partition.PartitionWriters;
import dev.muster.engine.partition.ReaderPool;
import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.kafka.api.TopicDirectory;
import java.time.Clock;

/** The writers, readers and limits that all produce and fetch requests of a server share. */
public final class RecordServices implements AutoCloseable {
    private final TopicDirectory topics;
    private final Clock clock;
    private final Flusher flusher = new Flusher();
    private final PartitionSyncs syncs = new PartitionSyncs();
    private final PartitionWriters writers = new PartitionWriters(System::nanoTime, true);
    private final AppendNotifier arrivals = new AppendNotifier();
    private final ReaderPool readers;
    private final ResponseBudget responses;
    private volatile boolean closing;

    /**
     * @param readerBytesMax the memory of all readers that wait for their client's next fetch
     * @param responseBytesMax the memory of all records on their way to clients
     */
    public RecordServices(TopicDirectory topics, Clock clock, long readerBytesMax, long responseBytesMax) {
        this.topics = topics;
        this.clock = clock;
        this.readers = new ReaderPool(readerBytesMax, EngineRuntime.system());
        this.responses = new ResponseBudget(responseBytesMax);
    }

    TopicDirectory topics() {
        return topics;
    }

    Clock clock() {
        return clock;
    }

    Flusher flusher() {
        return flusher;
    }

    PartitionSyncs syncs() {
        return syncs;
    }

    PartitionWriters writers() {
        return writers;
    }

    AppendNotifier arrivals() {
        return arrivals;
    }

    public ReaderPool readers() {
        return readers;
    }

    ResponseBudget responses() {
        return responses;
    }

    /** True once shutdown began; parked fetches must return. */
    boolean isClosing() {
        return closing;
    }

    /** Wakes all parked fetches; they return the records that are there. */
    public void endWaits() {
        closing = true;
        arrivals.wakeAll();
    }

    @Override
    public void close() {
        flusher.close();
        writers.close();
        arrivals.close();
        readers.close();
    }
}
