package dev.muster.engine.produce;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The future of one record. A platform thread that waits for it writes the batch itself if no other thread does so.
 *
 * <p>One is made per record: keep it small. The futures of a batch are a chain, not an array: links between young
 * objects cost a garbage collector nothing, references from an old array would.
 */
final class SendFuture<P> extends CompletableFuture<P> {
    private final RecordSender<P> sender;
    /** Milliseconds since 1970. */
    final long timestamp;
    /** The next of the same batch; null again when this one is done, so that no done future keeps others alive. */
    SendFuture<P> next;

    SendFuture(RecordSender<P> sender, long timestamp) {
        this.sender = sender;
        this.timestamp = timestamp;
    }

    @Override
    public P join() {
        sender.help(this);
        return super.join();
    }

    // The timed get does not help: a system call would not end when its time is over.
    @Override
    public P get() throws InterruptedException, ExecutionException {
        if (!Thread.currentThread().isInterrupted()) {
            sender.help(this);
        }
        return super.get();
    }
}
