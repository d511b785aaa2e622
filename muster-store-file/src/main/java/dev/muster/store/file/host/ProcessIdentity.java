package dev.muster.store.file.host;

import dev.muster.core.group.HostId;
import dev.muster.store.file.disk.BootId;
import java.util.UUID;

/**
 * Who this process is. A process number alone names nobody: it comes back, and containers all have a number 1.
 *
 * @param bootId of the running kernel
 * @param pid process number
 * @param startMs when the process started
 * @param nonce of this opened store
 */
public record ProcessIdentity(UUID bootId, long pid, long startMs, UUID nonce) {
    public static ProcessIdentity current() {
        ProcessHandle self = ProcessHandle.current();
        long start =
                self.info().startInstant().map(java.time.Instant::toEpochMilli).orElse(0L);
        return new ProcessIdentity(BootId.read(), self.pid(), start, UUID.randomUUID());
    }

    /** As groups know it. */
    public HostId hostId() {
        return new HostId(toString());
    }

    /** As a file name. */
    @Override
    public String toString() {
        return bootId + "-" + pid + "-" + startMs + "-" + nonce;
    }
}
