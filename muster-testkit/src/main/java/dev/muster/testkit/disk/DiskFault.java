package dev.muster.testkit.disk;

import dev.muster.disk.NoRoomException;
import java.io.IOException;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A failure of chosen calls.
 *
 * @param where test that selects calls
 * @param nth number of the first selected call that fails, beginning with 1, counted from when the fault was armed
 * @param forEver true if all later selected calls fail too
 * @param part part of the bytes that a failing append writes, 0 to 1
 * @param cause exception for the caller
 */
public record DiskFault(
        Predicate<DiskCall> where, long nth, boolean forEver, double part, Supplier<IOException> cause) {
    /** A fault by which the first call of these kinds fails once, with an I/O error. Without kinds: any call. */
    public static DiskFault at(DiskCall.Kind... kinds) {
        Set<DiskCall.Kind> wanted = Set.of(kinds);
        return at(call -> wanted.isEmpty() || wanted.contains(call.kind()));
    }

    public static DiskFault at(Predicate<DiskCall> where) {
        return new DiskFault(where, 1, false, 0, () -> new IOException("Input/output error"));
    }

    public DiskFault nth(long n) {
        return new DiskFault(where, n, forEver, part, cause);
    }

    public DiskFault fromThenOn() {
        return new DiskFault(where, nth, true, part, cause);
    }

    public DiskFault with(Supplier<IOException> newCause) {
        return new DiskFault(where, nth, forEver, part, newCause);
    }

    /**
     * The same fault, with a full disk as its cause.
     *
     * @param partWritten part of the bytes that a failing append writes, 0 to 1
     */
    public DiskFault noRoom(double partWritten) {
        return new DiskFault(where, nth, forEver, partWritten, () -> new NoRoomException("No space left on device"));
    }

    public DiskFault tooManyOpenFiles() {
        return with(() -> new IOException("Too many open files"));
    }

    boolean hits(long count) {
        return forEver ? count >= nth : count == nth;
    }
}
