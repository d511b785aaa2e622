package dev.muster.testkit.disk;

/**
 * A change of names that is not durable yet. A rename is one change, also between two folders: it happened or it did
 * not.
 *
 * @param removed the name that goes, or null
 * @param put the name that stands for {@code node} from now on, or null
 */
record NameChange(Place removed, Place put, Node node) {
    /** A name in a folder. */
    record Place(FolderNode folder, String name) {}

    boolean isIn(FolderNode folder) {
        return removed != null && removed.folder == folder || put != null && put.folder == folder;
    }

    boolean sharesAPlaceWith(NameChange other) {
        return concerns(other.removed) || concerns(other.put);
    }

    private boolean concerns(Place place) {
        return place != null && (place.equals(removed) || place.equals(put));
    }

    void apply() {
        if (removed != null) {
            removed.folder.names.remove(removed.name);
        }
        if (put != null) {
            put.folder.names.put(put.name, node);
        }
    }

    void makeDurable() {
        if (removed != null) {
            removed.folder.durableNames.remove(removed.name);
        }
        if (put != null) {
            put.folder.durableNames.put(put.name, node);
        }
    }
}
