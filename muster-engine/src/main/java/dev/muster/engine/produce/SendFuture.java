package dev.muster.engine.produce;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The future of one record. A platform thread that waits for it writes the batch itself if no other thread does so.
 *
 * <p>One is made per record, so it must stay small. The futures of a batch form a linked list and not an array. Links
 * between young objects cost the garbage collector nothing; references from an old array would.
 */
final class SendFuture<P> extends CompletableFuture<P> {
    private final RecordSender<P> sender;
    /** Milliseconds since 1970. */
    final long timestamp;
    /**
     * The next future of the same batch; null once this future is done, so that a done future keeps no other one alive.
     */
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

    // The timed get does not help to write: a system call would not end at the timeout.
    @Override
    public P get() throws InterruptedException, ExecutionException {
        if (!Thread.currentThread().isInterrupted()) {
            sender.help(this);
        }
        return super.get();
    }
}
