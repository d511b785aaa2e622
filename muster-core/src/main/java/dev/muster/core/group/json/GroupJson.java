package dev.muster.core.group.json;

import dev.muster.core.MusterException;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.HostId;
import dev.muster.core.json.Json;
import dev.muster.core.json.JsonException;
import dev.muster.core.json.JsonWriter;
import java.time.DateTimeException;
import java.util.List;
import java.util.function.Function;

/**
 * Entries and snapshots as JSON on one line, as they stand in a journal. Versioned: a reader refuses what it does not
 * know instead of guessing.
 *
 * <pre>
 * {"v":1,"at":1763215200000,"by":"host","events":[{"event":"committed","member":"A","offsets":{"orders":{"0":105}}}]}
 * {"v":1,"snapshot":{…},"at":1763215200000,"by":"host"}
 * </pre>
 */
public final class GroupJson {
    /** The version of the format. It is raised if an older reader would misunderstand a line. */
    private static final int VERSION = 1;

    private static final String BEGIN = "{\"v\":";
    private static final String SNAPSHOT = ",\"snapshot\":";

    private GroupJson() {}

    public static String entry(Entry entry) {
        JsonWriter out = new JsonWriter().object().field("v", VERSION);
        out.field("at", entry.at()).field("by", entry.by()).name("events").array();
        entry.events().forEach(event -> EventJson.write(out, event));
        return out.end().end().toString();
    }

    /** The whole state on one line. {@link #replay} makes an equal group from it. */
    public static String snapshot(Group group, long at, HostId by) {
        JsonWriter out = new JsonWriter().object().field("v", VERSION);
        SnapshotJson.write(out.name("snapshot"), group.state());
        return out.field("at", at).field("by", by).end().toString();
    }

    /**
     * True if this line is a snapshot, so that reading may begin there. Only the beginning of the line is read,
     * whatever its version.
     */
    public static boolean isSnapshot(String line) {
        if (!line.startsWith(BEGIN)) {
            return false;
        }
        int i = BEGIN.length();
        while (i < line.length() && Character.isDigit(line.charAt(i))) {
            i++;
        }
        return line.startsWith(SNAPSHOT, i);
    }

    /**
     * The state after this line: a snapshot replaces it, an entry is applied.
     *
     * @throws BadLineException if the line is damaged
     * @throws MusterException if the line has a version that this program does not know
     */
    public static Group replay(Group before, String line) {
        return read(line, fields -> fields.has("snapshot") ? readSnapshot(fields) : before.apply(readEntry(fields)));
    }

    /**
     * Reads an entry, without the state on which it was decided.
     *
     * @throws BadLineException if the line is damaged, or a snapshot
     * @throws MusterException if the line has a version that this program does not know
     */
    public static Entry readEntry(String line) {
        return read(line, GroupJson::readEntry);
    }

    private static <T> T read(String line, Function<Fields, T> reader) {
        try {
            Fields fields = new Fields("line", Json.parse(line));
            long version = fields.number("v");
            if (version != VERSION) {
                throw new MusterException(
                        "the group's journal has a line of version " + version + ", this program knows version "
                                + VERSION + " only",
                        "use the version of Muster that wrote it, or a newer one");
            }
            return reader.apply(fields);
        } catch (JsonException
                | IllegalArgumentException
                | IllegalStateException
                | ArithmeticException
                | DateTimeException e) {
            throw Fields.bad(e.getMessage(), e);
        }
    }

    private static Group readSnapshot(Fields fields) {
        Group group = new Group(SnapshotJson.read(fields.object("snapshot")));
        fields.number("at");
        fields.string("by");
        fields.done();
        return group;
    }

    private static Entry readEntry(Fields fields) {
        List<Event> events = fields.list("events").stream().map(EventJson::read).toList();
        Entry entry = new Entry(fields.number("at"), new HostId(fields.string("by")), events);
        fields.done();
        return entry;
    }
}
