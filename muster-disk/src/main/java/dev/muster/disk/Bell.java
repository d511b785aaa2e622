package dev.muster.disk;

/** A bell that this process holds. It rings when it is closed or the process dies; see {@link Bells}. */
public interface Bell extends AutoCloseable {
    @Override
    void close();
}
