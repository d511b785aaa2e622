package dev.muster.store.group;

import dev.muster.core.MusterException;

/** A group was deleted. A group created later under the same name is another group. */
public final class GroupDeletedException extends MusterException {
    public GroupDeletedException(String group) {
        super("group \"" + group + "\" was deleted", "join again to begin it anew");
    }

    /**
     * The files of the group were removed or replaced: the state that this process had of the group is void.
     *
     * @param replaced the error of the group's log
     */
    public GroupDeletedException(String group, MusterException replaced) {
        super(
                "the files of group \"" + group + "\" were removed or replaced: " + replaced.getMessage(),
                "join again, to use the group that is in the directory now",
                replaced);
    }
}
