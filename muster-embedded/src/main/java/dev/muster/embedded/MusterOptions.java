package dev.muster.embedded;

/**
 * How a directory is opened.
 *
 * @param allowAnyFileSystem open also where locks or durability cannot be relied on (network and unknown file systems)
 * @param createMissing make the directory when it is not there
 * @param readOnly never write, not even wake-up words; implied when the user may not write there
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
