package dev.muster.embedded;

/**
 * How a directory is opened.
 *
 * @param allowAnyFileSystem true to open also on network and unknown file systems, whose locks and durability cannot be
 *     relied on
 * @param createMissing true to create a missing directory
 * @param readOnly true to write nothing, not even the words that wake other processes; implied if the user may not
 *     write there
 */
public record MusterOptions(boolean allowAnyFileSystem, boolean createMissing, boolean readOnly) {
    public static final MusterOptions DEFAULT = new MusterOptions(false, true, false);

    public MusterOptions withAllowAnyFileSystem(boolean allow) {
        return new MusterOptions(allow, createMissing, readOnly);
    }

    public MusterOptions withCreateMissing(boolean create) {
        return new MusterOptions(allowAnyFileSystem, create, readOnly);
    }

    public MusterOptions withReadOnly(boolean only) {
        return new MusterOptions(allowAnyFileSystem, createMissing, only);
    }
}
