package dev.muster.store.group;

import dev.muster.core.MusterException;

/** A group is gone; one of the same name made later is another. */
public final class GroupDeletedException extends MusterException {
    public GroupDeletedException(String group) {
        super("group \"" + group + "\" was deleted", "join again to begin it anew");
    }
}
