package dev.muster.bench.broker;

/** What was measured was not done, or not rightly: there is no figure for it. */
public final class CheckFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CheckFailedException(String message) {
        super(message);
    }
}
