package dev.muster.store.file.layout;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The kinds of files in a directory, as {@code docs/format/directory.md} lists them. For tools that read a whole
 * directory: the check and the backup.
 */
public enum FileKind {
    MUSTER_JSON("muster\\.json", Role.TRUTH),
    SETTINGS("settings\\.json", Role.TRUTH),
    MUSTER_JSON_COPY("\\.coordinator/muster\\.json", Role.TRUTH),
    TOPIC_JSON("topics/[^/]+/topic\\.json", Role.TRUTH),
    TOPIC_JSON_COPY("logs/[^/]+/topic\\.json", Role.TRUTH),
    TOPIC_PAGE("logs/[^/]+/control-[^/]+", Role.BOOT),
    SEGMENT("logs/[^/]+/partition-\\d+/[^/]+\\.log", Role.TRUTH),
    INDEX("logs/[^/]+/partition-\\d+/[^/]+\\.index", Role.DERIVED),
    CHECKPOINT("logs/[^/]+/partition-\\d+/checkpoint", Role.TRUTH),
    NOTE("logs/[^/]+/partition-\\d+/[^/]+\\.note", Role.DERIVED),
    PARTITION_PAGE("logs/[^/]+/partition-\\d+/control-[^/]+", Role.BOOT),
    GROUP_JSON("consumer-groups/[^/]+/group\\.json", Role.TRUTH),
    GROUP_PAGE("consumer-groups/[^/]+/journal-[^/]+/group-[^/]+", Role.BOOT),
    JOURNAL_SEGMENT("consumer-groups/[^/]+/journal-[^/]+/[^/]+\\.log", Role.TRUTH),
    JOURNAL_INDEX("consumer-groups/[^/]+/journal-[^/]+/[^/]+\\.index", Role.DERIVED),
    JOURNAL_CHECKPOINT("consumer-groups/[^/]+/journal-[^/]+/checkpoint", Role.TRUTH),
    JOURNAL_NOTE("consumer-groups/[^/]+/journal-[^/]+/[^/]+\\.note", Role.DERIVED),
    JOURNAL_PAGE("consumer-groups/[^/]+/journal-[^/]+/control-[^/]+", Role.BOOT),
    VIEW(
            "consumer-groups/[^/]+/(assignments\\.json|generation\\.txt|members/[^/]+\\.json|offsets/.+\\.offset)",
            Role.DERIVED),
    TIMELINE("consumer-groups/[^/]+/timeline\\.jsonl(\\.old)?", Role.DERIVED),
    HOST_LOCK("\\.coordinator/hosts/[^/]+\\.lock", Role.BOOT),
    HOST_BELL("\\.coordinator/hosts/[^/]+\\.bell", Role.BOOT),
    HOST_HEARTBEAT("\\.coordinator/hosts/[^/]+\\.beat", Role.BOOT),
    HOST_JSON("\\.coordinator/hosts/[^/]+\\.json", Role.BOOT),
    RESERVE("\\.coordinator/reserve/[^/]+", Role.DERIVED),
    WAKE_PAGE("\\.coordinator/wake-[^/]+", Role.BOOT),
    HOUSEKEEPING_PAGE("\\.coordinator/housekeeping-[^/]+", Role.BOOT),
    LOCK("\\.coordinator/[^/]+\\.(lock|role)", Role.BOOT),
    PRODUCER_IDS("\\.coordinator/producer-ids", Role.TRUTH),
    DELETED_TOPICS("\\.coordinator/deleted-topics\\.jsonl", Role.TRUTH),
    DELETED_GROUPS("\\.coordinator/deleted-groups\\.jsonl", Role.TRUTH),
    DRAFT("\\.coordinator/drafts/.+|.+\\.note\\.tmp|muster\\.json\\..+\\.tmp", Role.LEFTOVER),
    TRASH("\\.trash/.+", Role.LEFTOVER);

    /** The role of a file in the directory, and the loss if it is missing. */
    public enum Role {
        /** The only source of its facts, except for copies. */
        TRUTH,
        /** Derived from files with the role {@link #TRUTH}, and created again if it is missing. */
        DERIVED,
        /** Used by the processes of one boot only. */
        BOOT,
        /** Of no use once its process is dead. */
        LEFTOVER
    }

    private final Pattern path;
    private final Role role;

    FileKind(String path, Role role) {
        this.path = Pattern.compile(path);
        this.role = role;
    }

    public Role role() {
        return role;
    }

    /**
     * The kind of a file.
     *
     * @param file the path relative to the directory
     * @return the kind; empty if the file is not Muster's
     */
    public static Optional<FileKind> of(Path file) {
        StringBuilder text = new StringBuilder();
        file.forEach(part -> text.append(text.isEmpty() ? "" : "/").append(part));
        for (FileKind kind : values()) {
            if (kind.path.matcher(text).matches()) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }
}
