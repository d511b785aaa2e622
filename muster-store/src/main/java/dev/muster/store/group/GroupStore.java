package dev.muster.store.group;

import dev.muster.core.group.model.GroupName;
import java.util.List;
import java.util.Optional;

/** The groups of a store. Safe for use by many threads. */
public interface GroupStore {
    /** All groups that have a journal, by name; those that are damaged too. */
    List<GroupName> list();

    /**
     * The journal of a group if there is one. Instances are shared and live as long as the store.
     *
     * @throws DamagedGroupException when the file that names the group is missing or damaged
     */
    Optional<GroupJournal> find(GroupName group);

    /**
     * The journal of a group, made when it is not there; of several concurrent calls in all processes one makes it and
     * all get that one.
     *
     * @throws DamagedGroupException when the file that names the group is missing or damaged
     */
    GroupJournal open(GroupName group);

    /**
     * Removes this journal, one of this store. The rules have written the group's end into it before. A group made anew
     * under this name has nothing in common with it and is not touched, however late this is called. The journal throws
     * {@link GroupDeletedException} from now on, in all processes. Not an error when it is gone already.
     */
    void delete(GroupJournal journal);

    /**
     * Removes a group whatever its state is: for one whose rules cannot be asked, because it is damaged. As with
     * {@link #delete} its journal throws {@link GroupDeletedException} from now on, in all processes. Not an error when
     * there is no such group.
     */
    void remove(GroupName group);

    /** What is wrong with the file that names a group; empty when it is whole, or when there is no such group. */
    default Optional<String> nameProblem(GroupName group) {
        return Optional.empty();
    }

    /** As {@link #find}, though the file that names the group may be missing or damaged. Changes nothing. */
    default Optional<GroupJournal> findDamaged(GroupName group) {
        return find(group);
    }

    /** Puts the file back that names a group, where {@link #nameProblem} finds something. */
    default void restoreName(GroupName group) {}

    /** The processes that have the store open. */
    Hosts hosts();

    /**
     * Raised with every change of any topic (made, deleted, more partitions), by any process: at the latest when it is
     * done. A store on which whoever makes a change can die before he tells of it raises this also before it is made;
     * so whoever sees it raised looks at once, and once more a few seconds later. Cheap: no system call.
     */
    long topicsVersion();

    /** Calls back when {@link #topicsVersion} was raised, on a thread of the store; may be called without need. */
    AutoCloseable onTopicsChange(Runnable wake);
}
