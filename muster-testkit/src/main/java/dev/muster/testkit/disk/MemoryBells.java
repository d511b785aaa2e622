package dev.muster.testkit.disk;

import dev.muster.disk.Bells;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;

/**
 * The bells that a simulated process watches. As with real bells, a bell that no process holds any more when the watch
 * begins never rings.
 */
final class MemoryBells implements Bells, Life.OpenThing {
    private final Life life;
    private final Condition changed;
    // Each watch has an identity: a bell that was forgotten and is watched again rings for the second watch only.
    private final Map<Path, Object> watched = new HashMap<>();
    private final List<Path> rung = new ArrayList<>();
    private boolean wokenUp;

    MemoryBells(Life life) {
        this.life = life;
        this.changed = life.disk.lock.newCondition();
    }

    @Override
    public boolean watch(Path bell) throws IOException {
        return call(() -> {
            if (!(life.disk.tree.find(bell) instanceof FileNode node)) {
                return false;
            }
            Object watch = new Object();
            if (watched.putIfAbsent(bell, watch) == null && node.bell != null) {
                node.bell.onRing(() -> ring(bell, watch));
            }
            return true;
        });
    }

    private void ring(Path bell, Object watch) {
        if (watched.remove(bell, watch)) {
            rung.add(bell);
            changed.signalAll();
        }
    }

    @Override
    public void forget(Path bell) {
        life.locked(() -> {
            watched.remove(bell);
            rung.remove(bell);
        });
    }

    @Override
    public List<Path> await(long timeoutNanos) throws IOException {
        return call(() -> {
            long left = timeoutNanos;
            try {
                while (rung.isEmpty() && !wokenUp && left > 0) {
                    left = changed.awaitNanos(left);
                    checkOpen();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            wokenUp = false;
            List<Path> heard = List.copyOf(rung);
            rung.clear();
            return heard;
        });
    }

    @Override
    public void wakeUp() {
        life.locked(() -> {
            wokenUp = true;
            changed.signalAll();
        });
    }

    @Override
    public void close() {
        life.locked(() -> {
            if (life.closed(this)) {
                changed.signalAll();
            }
        });
    }

    @Override
    public void ownerDied() {
        changed.signalAll();
    }

    private <T> T call(Life.Step<T> step) throws IOException {
        return life.call(() -> {
            checkOpen();
            return step.take();
        });
    }

    private void checkOpen() throws IOException {
        if (!life.isOpen(this)) {
            throw new IOException("the bells are closed");
        }
    }
}
