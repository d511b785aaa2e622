package dev.muster.store.group;

import dev.muster.store.group.GroupJournal.View;
import java.util.List;
import java.util.function.UnaryOperator;

/** The texts for people that a store keeps beside the journal of a group. A store may have none. */
public interface GroupViews {
    /**
     * The views as they are now, with their texts. A repair without a better source reads them, and the process that
     * looks for outdated views. No rule may depend on a view.
     *
     * @param folder the first part of the paths of the views
     */
    List<View> read(String folder);

    /**
     * Writes views in the given order. A failure to write is not an error. A view that shows a newer version of this
     * journal is not replaced.
     */
    void publish(List<View> views);

    /**
     * Adds lines to a view. One process at a time does so, because the new lines depend on the existing ones.
     *
     * @param path the path, with the rules of {@link View#path()}
     * @param more the function that gets the last lines of the view, at most about 64 KiB of whole lines, and returns
     *     the lines to add; an empty text adds none
     * @return false if another process is adding lines at this moment, and nothing was done
     */
    boolean extend(String path, UnaryOperator<String> more);
}
