package dev.muster.store.file.host;

import dev.muster.core.group.model.HostId;
import dev.muster.disk.BootId;
import dev.muster.disk.Machine;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identity of a process. A process number alone is not enough: it is used again, and every container has a number
 * 1.
 *
 * @param bootId the boot id of the running kernel
 * @param pid the process number
 * @param startMs the start time in milliseconds since 1970
 * @param nonce the random id of this opened store
 */
public record ProcessIdentity(UUID bootId, long pid, long startMs, UUID nonce) {
    /**
     * The identity of this process.
     *
     * @param nonce the random id of the store to open
     */
    public static ProcessIdentity current(UUID nonce) {
        ProcessHandle self = ProcessHandle.current();
        long start =
                self.info().startInstant().map(java.time.Instant::toEpochMilli).orElse(0L);
        return new ProcessIdentity(BootId.read(), self.pid(), start, nonce);
    }

    private static final String ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
    private static final Pattern NAME = Pattern.compile("(" + ID + ")-([0-9]{1,18})-([0-9]{1,18})-" + ID);

    /** True if this is the name of a running process of this boot, as far as the machine can see. */
    boolean seesRunning(Machine machine, String name) {
        Matcher parts = NAME.matcher(name);
        return parts.matches()
                && parts.group(1).equals(bootId.toString())
                && machine.runs(Long.parseLong(parts.group(2)), Long.parseLong(parts.group(3)));
    }

    /** The host id, which groups use. */
    public HostId hostId() {
        return new HostId(toString());
    }

    /** The identity as a file name. */
    @Override
    public String toString() {
        return bootId + "-" + pid + "-" + startMs + "-" + nonce;
    }
}
