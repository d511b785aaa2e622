package dev.muster.store;

import java.util.concurrent.CompletableFuture;

/** An append that failed. */
final class FailedAppend implements PendingAppend {
    private final Throwable failure;

    FailedAppend(Throwable failure) {
        this.failure = failure;
    }

    @Override
    public AppendPlace place() {
        throw thrown();
    }

    @Override
    public void awaitDurable() {
        throw thrown();
    }

    @Override
    public CompletableFuture<AppendPlace> placed() {
        return CompletableFuture.failedFuture(failure);
    }

    @Override
    public CompletableFuture<Void> durable() {
        return CompletableFuture.failedFuture(failure);
    }

    private RuntimeException thrown() {
        if (failure instanceof Error error) {
            throw error;
        }
        return (RuntimeException) failure;
    }
}
