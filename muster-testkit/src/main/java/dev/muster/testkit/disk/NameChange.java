package dev.muster.testkit.disk;

/**
 * A change of names that is not durable yet. A rename is one change, also between two folders: it is durable as a whole
 * or not at all.
 *
 * @param removed name that is removed; null if none is
 * @param put name that stands for {@code node} from now on; null if there is none
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

    boolean movesFromWhereItWasPutBy(NameChange earlier) {
        return removed != null && put != null && removed.equals(earlier.put) && node == earlier.node;
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
