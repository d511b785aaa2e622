package dev.muster.engine.group.member;

/** Runs several steps even if earlier steps failed, and keeps the first failure. For one thread. */
final class Failures {
    private Throwable first;

    /** Runs a step. Keeps a failure, including an error of a listener, for {@link #throwIfAny}. */
    void during(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            add(e);
        }
    }

    void add(Throwable failure) {
        if (first == null) {
            first = failure;
        } else {
            first.addSuppressed(failure);
        }
    }

    boolean isEmpty() {
        return first == null;
    }

    void throwIfAny() {
        switch (first) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(first);
        }
    }
}
