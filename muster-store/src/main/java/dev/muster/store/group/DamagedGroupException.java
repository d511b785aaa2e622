package dev.muster.store.group;

import dev.muster.core.MusterException;

/**
 * The state of a group is not known, because its journal or the file with its name is damaged. Nothing was changed. The
 * call succeeds only after a repair, or after a process that knows the state has healed the journal.
 */
public final class DamagedGroupException extends MusterException {
    private final String group;
    private final String file;
    private final long version;

    /**
     * @param file the damaged file, or the folder where a file is missing
     * @param version the first version of the journal that cannot be read; -1 if the damage is not in the journal
     * @param problem the description of the damage, a sentence without a full stop
     */
    public DamagedGroupException(String group, String file, long version, String problem, Throwable cause) {
        super(
                "group \"" + group + "\" is damaged: " + file + (version < 0 ? "" : ", version " + version) + ": "
                        + problem,
                "restore the file from a copy, or see what can be rebuilt: muster group repair " + group,
                cause);
        this.group = group;
        this.file = file;
        this.version = version;
    }

    public String group() {
        return group;
    }

    public String file() {
        return file;
    }

    /** The first version of the journal that cannot be read; -1 if the damage is not in the journal. */
    public long version() {
        return version;
    }
}
