package dev.muster.store.file.layout;

import dev.muster.core.MusterException;
import dev.muster.disk.Disk;
import dev.muster.store.StoreNotFoundException;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.runtime.StoreRuntime;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * {@code muster.json}: it makes a directory a store, and has the format and the features that a program must know to
 * read or write it.
 *
 * @param requiredToRead the features that a reader must know
 * @param requiredToWrite the features that a writer must know
 */
public record StoreFormat(int version, UUID clusterId, List<String> requiredToRead, List<String> requiredToWrite) {
    private static final System.Logger LOG = System.getLogger(StoreFormat.class.getName());
    private static final int VERSION = 1;
    private static final List<String> KNOWN = List.of();
    private static final List<String> HARMLESS = List.of("lost+found");
    private static final String REPAIR = "restore it from its copy with muster check --repair";

    /** Reads the file for a tool that writes nothing. Refuses a format or feature that it does not know. */
    public static StoreFormat open(Disk disk, Layout layout) throws IOException {
        return openOrCreate(disk, layout, StoreRuntime.system(), true, false);
    }

    /** Reads the file, or creates it in a new directory. Refuses a format or feature that it does not know. */
    public static StoreFormat openOrCreate(
            Disk disk, Layout layout, StoreRuntime runtime, boolean readOnly, boolean create) throws IOException {
        Path file = layout.musterJson();
        if (!disk.exists(file)) {
            List<String> there = disk.list(layout.root());
            boolean foreign =
                    there.stream().anyMatch(name -> !name.startsWith(Layout.MUSTER_JSON) && !HARMLESS.contains(name));
            if (disk.exists(layout.musterJsonCopy()) && !disk.exists(file)) {
                throw new UnsupportedStoreException(
                        layout.root() + " is a Muster data directory that lost its " + Layout.MUSTER_JSON, REPAIR);
            }
            if (readOnly || !create) {
                throw new StoreNotFoundException(layout.root().toString());
            }
            if (foreign && !disk.exists(file)) {
                throw new UnsupportedStoreException(
                        layout.root() + " is not empty and not a Muster data directory (it has no " + Layout.MUSTER_JSON
                                + ")",
                        "name an empty or a new directory");
            }
            create(disk, layout, runtime);
        }
        StoreFormat format = read(disk, file);
        format.check(file, readOnly);
        return format;
    }

    public static StoreFormat read(Disk disk, Path file) throws IOException {
        return parse(file, disk.readAll(file));
    }

    /** Writes the copy that a repair uses if {@code muster.json} is lost. A failure does not fail the caller. */
    public void copyIfMissing(Disk disk, Layout layout) {
        try {
            if (!disk.exists(layout.musterJsonCopy())) {
                writeTo(disk, layout, layout.musterJsonCopy());
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "no copy of {0} yet: {1}", layout.musterJson(), e.getMessage());
        }
    }

    /** Replaces the file at this place. The new file is durable when this returns. */
    public void writeTo(Disk disk, Layout layout, Path place) throws IOException {
        Path draft = layout.drafts().resolve(disk.machine().newId() + ".json");
        try {
            disk.createFolders(layout.drafts());
            disk.writeDurably(draft, toJson());
            disk.rename(draft, place);
        } finally {
            disk.delete(draft);
        }
        disk.syncFolder(place.getParent());
    }

    /** The id of the store that is in the directory now. */
    public static UUID clusterId(Disk disk, Layout layout) throws IOException {
        return read(disk, layout.musterJson()).clusterId();
    }

    private static void create(Disk disk, Layout layout, StoreRuntime runtime) throws IOException {
        syncAncestors(disk, layout.root());
        StoreFormat fresh = new StoreFormat(VERSION, runtime.newId(), List.of(), List.of());
        Path draft =
                layout.root().resolve(Layout.MUSTER_JSON + "." + disk.machine().newId() + ".tmp");
        try {
            disk.writeDurably(draft, fresh.toJson());
            disk.link(draft, layout.musterJson());
        } catch (FileAlreadyExistsException e) {
            // Another process was first, and its file has the identity of the store.
            assert disk.exists(layout.musterJson()) : e;
        } finally {
            disk.delete(draft);
        }
        disk.syncFolder(layout.root());
    }

    /**
     * Makes the names of the folders above durable. The directory and folders above it may be new, and a process that
     * sees {@code muster.json} may rely on all these names.
     */
    private static void syncAncestors(Disk disk, Path root) throws IOException {
        for (Path folder = root.getParent(); folder != null; folder = folder.getParent()) {
            try {
                disk.syncFolder(folder);
            } catch (AccessDeniedException e) {
                // This process has not created a folder that it may not open.
                assert disk.exists(root) : e;
            }
        }
    }

    private String toJson() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("format", (long) version);
        map.put("clusterId", clusterId.toString());
        map.put("requiredToRead", requiredToRead);
        map.put("requiredToWrite", requiredToWrite);
        return ChecksummedJson.write(map);
    }

    private static StoreFormat parse(Path file, byte[] content) {
        try {
            Map<String, Object> map = ChecksummedJson.parse(content);
            return new StoreFormat(
                    Math.toIntExact((Long) map.get("format")),
                    UUID.fromString((String) map.get("clusterId")),
                    strings(map.get("requiredToRead")),
                    strings(map.get("requiredToWrite")));
        } catch (ClassCastException
                | NullPointerException
                | IllegalArgumentException
                | ArithmeticException
                | MusterException e) {
            throw new UnsupportedStoreException(file + " cannot be understood: " + e.getMessage(), REPAIR);
        }
    }

    private static List<String> strings(Object list) {
        return ((List<?>) list).stream().map(String.class::cast).toList();
    }

    public void check(Path file, boolean readOnly) {
        if (version > VERSION) {
            throw new UnsupportedStoreException(
                    file + " has format " + version + ", this version of Muster reads format " + VERSION,
                    "use a newer Muster");
        }
        List<String> unknownToRead = unknown(requiredToRead);
        if (!unknownToRead.isEmpty()) {
            throw new UnsupportedStoreException(
                    file + " requires features for reading that this version of Muster does not have: " + unknownToRead,
                    "use a newer Muster");
        }
        List<String> unknownToWrite = unknown(requiredToWrite);
        if (!readOnly && !unknownToWrite.isEmpty()) {
            throw new UnsupportedStoreException(
                    file + " requires features for writing that this version of Muster does not have: "
                            + unknownToWrite,
                    "use a newer Muster, or open it read-only (muster --read-only)");
        }
    }

    private static List<String> unknown(List<String> features) {
        return features.stream().filter(feature -> !KNOWN.contains(feature)).toList();
    }
}
