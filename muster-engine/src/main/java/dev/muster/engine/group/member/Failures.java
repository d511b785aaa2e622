package dev.muster.engine.group.member;

/** The first failure of several steps, each of which is done whatever happened before. For one thread. */
final class Failures {
    private Throwable first;

    /** Does a step. A failure, also a failed assertion in a listener, is kept for {@link #throwIfAny}. */
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
