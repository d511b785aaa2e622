package dev.muster.bench.broker;

/** The measured work was not done, or not correctly, so there is no figure for it. */
public final class CheckFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CheckFailedException(String message) {
        super(message);
    }
}
