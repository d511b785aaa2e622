package dev.muster.testkit.disk;

import dev.muster.disk.Bell;
import java.util.ArrayList;
import java.util.List;

/** A bell a simulated process holds. */
final class MemoryBell implements Bell, Life.OpenThing {
    private final Life life;
    private final FileNode node;
    private final List<Runnable> hearers = new ArrayList<>();

    MemoryBell(Life life, FileNode node) {
        this.life = life;
        this.node = node;
        node.bell = this;
    }

    /** The lock of the disk is held, as for all that follows. */
    void heardBy(Runnable hearer) {
        hearers.add(hearer);
    }

    @Override
    public void ownerDied() {
        if (node.bell == this) {
            node.bell = null;
            hearers.forEach(Runnable::run);
            hearers.clear();
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
