package dev.muster.embedded;

/** Processes one record. What it throws is treated as {@link HandlerOptions} says. */
@FunctionalInterface
public interface Handler<K, V> {
    void handle(Received<K, V> record) throws Exception;
}
