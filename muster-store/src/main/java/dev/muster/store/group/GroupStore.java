package dev.muster.store.group;

import dev.muster.core.group.model.GroupName;
import java.util.List;
import java.util.Optional;

/** The groups of a store. Safe for use by many threads. */
public interface GroupStore {
    /** All groups that have a journal, by name, with the damaged ones. */
    List<GroupName> list();

    /**
     * The journal of a group; empty if there is none. Instances are shared and live as long as the store.
     *
     * @throws DamagedGroupException if the file that holds the group's name is missing or damaged
     */
    Optional<GroupJournal> find(GroupName group);

    /**
     * The journal of a group, created if there is none. Of several concurrent calls in all processes one creates it,
     * and all return that journal.
     *
     * @throws DamagedGroupException if the file that holds the group's name is missing or damaged
     */
    GroupJournal open(GroupName group);

    /**
     * Removes this journal of this store. The group's rules have appended the end of the group to it before. A new
     * group of the same name is another group and is not changed, however late this is called. The journal throws
     * {@link GroupDeletedException} from now on, in all processes. It is not an error if the journal is gone already.
     */
    void delete(GroupJournal journal);

    /**
     * Removes a group in any state. It is meant for a damaged group, because the rules cannot end a group whose state
     * is not known. As with {@link #delete}, its journal throws {@link GroupDeletedException} from now on, in all
     * processes. It is not an error if there is no such group.
     */
    void remove(GroupName group);

    /**
     * The problem with the file that holds the group's name; empty if the file is whole, or if there is no such group.
     */
    default Optional<String> nameProblem(GroupName group) {
        return Optional.empty();
    }

    /**
     * Returns the journal as {@link #find} does, even if the file that holds the group's name is missing or damaged.
     * Changes nothing.
     */
    default Optional<GroupJournal> findDamaged(GroupName group) {
        return find(group);
    }

    /** Restores the file that holds the group's name if {@link #nameProblem} finds a problem. */
    default void restoreName(GroupName group) {}

    /** The processes that have the store open. */
    Hosts hosts();
}
