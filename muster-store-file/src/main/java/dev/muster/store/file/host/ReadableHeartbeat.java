package dev.muster.store.file.host;

import dev.muster.core.json.Json;
import dev.muster.disk.Disk;
import dev.muster.disk.MachineName;
import dev.muster.disk.Page;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The heartbeat of this process for people: a file of one line of JSON. It is mapped into memory, and the time in it
 * always has the same length, so a heartbeat costs no system call. No process reads the file. A person may read the
 * file in the microsecond in which the time changes.
 */
final class ReadableHeartbeat {
    static final String SUFFIX = ".json";

    private static final System.Logger LOG = System.getLogger(ReadableHeartbeat.class.getName());
    private static final String BEFORE_TIME = "{\"last_heartbeat\":     \"";
    private static final int TIME_AT = BEFORE_TIME.length();
    private static final int TIME_LENGTH = 24;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final Page page;
    private volatile boolean lost;

    private ReadableHeartbeat(Page page) {
        this.page = page;
    }

    static ReadableHeartbeat create(Disk disk, Path folder, ProcessIdentity self, long nowMillis) throws IOException {
        Page page = disk.page(folder.resolve(self + SUFFIX), text(self, nowMillis));
        return new ReadableHeartbeat(page);
    }

    private static byte[] text(ProcessIdentity self, long nowMillis) {
        Map<String, Object> process = new LinkedHashMap<>();
        process.put("pid", self.pid());
        process.put("hostname", MachineName.read());
        process.put("started_at", time(self.startMs()));
        process.put("host", self.toString());
        String line =
                BEFORE_TIME + time(nowMillis) + "\"," + Json.write(process).substring(1);
        int words = line.getBytes(StandardCharsets.UTF_8).length / Long.BYTES + 1;
        int spaces = words * Long.BYTES - line.getBytes(StandardCharsets.UTF_8).length - 1;
        return (line + " ".repeat(spaces) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static String time(long millis) {
        return TIME.format(Instant.ofEpochMilli(millis));
    }

    /** Writes the time. Any thread may call this. */
    @SuppressWarnings("ThreadPriorityCheck") // The yield is not made for the scheduler.
    void renew(long nowMillis) {
        if (lost) {
            return;
        }
        byte[] time = time(nowMillis).getBytes(StandardCharsets.US_ASCII);
        if (time.length != TIME_LENGTH) {
            return;
        }
        ByteBuffer words = ByteBuffer.wrap(time).order(ByteOrder.nativeOrder());
        try {
            for (int at = 0; at < TIME_LENGTH; at += Long.BYTES) {
                page.set(TIME_AT + at, words.getLong(at));
            }
            // Any native call will do: the JVM throws the error of an access that faulted at its end.
            Thread.yield();
        } catch (RuntimeException | InternalError e) {
            // Another program truncated the file. The heartbeat that counts is another file.
            lost = true;
            LOG.log(System.Logger.Level.DEBUG, "the readable heartbeat file is no longer updated", e);
        }
    }
}
