package dev.muster.store;

import dev.muster.core.MusterException;

/**
 * The store could not say whether a batch got its place, because the connection was lost or the disk failed twice. The
 * batch may be in the log, or may still get its place until this process opens another appender of the partition. After
 * that its place does not change any more: readers find the batch, or it is not there and never will be.
 */
public final class AppendOutcomeUnknownException extends MusterException {
    public AppendOutcomeUnknownException(String partition, Throwable cause) {
        super(
                "it is not known whether records were appended to " + partition + ", because "
                        + (cause == null ? "the store did not answer" : cause.getMessage()),
                "read the end of the partition before you send the records again, or they may be there twice",
                cause);
    }
}
