package dev.muster.store.file;

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
public record HostId(UUID bootId, long pid, long startMs, UUID nonce) {
    public static HostId current() {
        ProcessHandle self = ProcessHandle.current();
        long start =
                self.info().startInstant().map(java.time.Instant::toEpochMilli).orElse(0L);
        return new HostId(BootId.read(), self.pid(), start, UUID.randomUUID());
    }

    /** As a file name. */
    @Override
    public String toString() {
        return bootId + "-" + pid + "-" + startMs + "-" + nonce;
    }
}
