package dev.muster.store.file.backup;

import dev.muster.core.MusterException;
import dev.muster.store.StoreIoException;
import dev.muster.store.file.layout.ChecksummedJson;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * {@code backup.json}: the content of a backup. It is written last, and a folder without it is no backup.
 *
 * @param createdAt the time when the backup began
 * @param madeBy the version of the program that made it
 * @param folders the folders of partitions and journals, including empty ones
 * @param damage the damage in the source, one sentence each; it was copied as it was
 */
public record Manifest(
        Instant createdAt,
        String madeBy,
        UUID clusterId,
        List<Partition> partitions,
        List<GroupVersion> groups,
        List<String> folders,
        List<File> files,
        List<String> damage) {
    static final String FILE = "backup.json";
    private static final long FORMAT = 1;

    /** The records of a partition from {@code start} to before {@code end}. */
    public record Partition(String topic, String topicId, int partition, long start, long end) {}

    /** A group with all lines of its journal below {@code version}. */
    public record GroupVersion(String group, long version) {}

    /**
     * A file of the backup.
     *
     * @param path the path relative to the backup's folder
     * @param crc the CRC-32C of its bytes
     * @param closed true if it is a segment that never changes any more
     */
    public record File(String path, long bytes, int crc, boolean closed) {}

    String toJson() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("format", FORMAT);
        map.put("createdAt", createdAt.toString());
        map.put("madeBy", madeBy);
        map.put("clusterId", clusterId.toString());
        map.put("partitions", partitions.stream().map(Manifest::object).toList());
        map.put("groups", groups.stream().map(Manifest::object).toList());
        map.put("folders", folders);
        map.put("files", files.stream().map(Manifest::object).toList());
        map.put("damage", damage);
        return ChecksummedJson.write(map);
    }

    private static Map<String, Object> object(Partition partition) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("topic", partition.topic());
        object.put("topicId", partition.topicId());
        object.put("partition", (long) partition.partition());
        object.put("start", partition.start());
        object.put("end", partition.end());
        return object;
    }

    private static Map<String, Object> object(GroupVersion group) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("group", group.group());
        object.put("version", group.version());
        return object;
    }

    private static Map<String, Object> object(File file) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("path", file.path());
        object.put("bytes", file.bytes());
        object.put("crc32c", "%08x".formatted(file.crc()));
        object.put("closed", file.closed());
        return object;
    }

    static Manifest parse(Path file, byte[] content) {
        try {
            Map<String, Object> map = ChecksummedJson.parseStrictly(content);
            long format = (Long) map.get("format");
            if (format != FORMAT) {
                throw new StoreIoException(
                        file + " has format " + format + ", this version of Muster reads format " + FORMAT, null);
            }
            List<Partition> partitions = new ArrayList<>();
            for (Object each : (List<?>) map.get("partitions")) {
                Map<?, ?> one = (Map<?, ?>) each;
                partitions.add(new Partition(
                        (String) one.get("topic"),
                        (String) one.get("topicId"),
                        Math.toIntExact((Long) one.get("partition")),
                        (Long) one.get("start"),
                        (Long) one.get("end")));
            }
            List<GroupVersion> groups = new ArrayList<>();
            for (Object each : (List<?>) map.get("groups")) {
                Map<?, ?> one = (Map<?, ?>) each;
                groups.add(new GroupVersion((String) one.get("group"), (Long) one.get("version")));
            }
            List<File> files = new ArrayList<>();
            for (Object each : (List<?>) map.get("files")) {
                files.add(parseFile((Map<?, ?>) each));
            }
            return new Manifest(
                    Instant.parse((String) map.get("createdAt")),
                    (String) map.get("madeBy"),
                    UUID.fromString((String) map.get("clusterId")),
                    List.copyOf(partitions),
                    List.copyOf(groups),
                    ((List<?>) map.get("folders"))
                            .stream().map(folder -> checked((String) folder)).toList(),
                    List.copyOf(files),
                    ((List<?>) map.get("damage"))
                            .stream().map(String.class::cast).toList());
        } catch (ClassCastException
                | NullPointerException
                | IllegalArgumentException
                | ArithmeticException
                | DateTimeParseException
                | MusterException e) {
            throw new StoreIoException(file + " cannot be understood: " + e.getMessage(), e);
        }
    }

    private static File parseFile(Map<?, ?> one) {
        return new File(
                checked((String) one.get("path")),
                (Long) one.get("bytes"),
                Integer.parseUnsignedInt((String) one.get("crc32c"), 16),
                (Boolean) one.get("closed"));
    }

    private static String checked(String path) {
        Path relative = Path.of(path);
        if (relative.isAbsolute() || !relative.normalize().equals(relative) || relative.startsWith("..")) {
            throw new IllegalArgumentException("a path leaves the backup: " + path);
        }
        return path;
    }
}
