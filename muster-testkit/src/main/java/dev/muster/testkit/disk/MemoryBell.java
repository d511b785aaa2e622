package dev.muster.testkit.disk;

import dev.muster.disk.Bell;
import java.util.ArrayList;
import java.util.List;

/** A bell that a simulated process holds. */
final class MemoryBell implements Bell, Life.OpenThing {
    private final Life life;
    private final FileNode node;
    private final List<Runnable> listeners = new ArrayList<>();

    MemoryBell(Life life, FileNode node) {
        this.life = life;
        this.node = node;
        node.bell = this;
    }

    /** Calls the listener when this bell rings. Called with the lock of the disk, like all methods but close. */
    void onRing(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public void ownerDied() {
        if (node.bell == this) {
            node.bell = null;
            listeners.forEach(Runnable::run);
            listeners.clear();
        }
    }

    @Override
    public void close() {
        life.locked(() -> {
            if (life.closed(this)) {
                ownerDied();
            }
        });
    }
}
