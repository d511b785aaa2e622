package dev.muster.embedded;

/** Processes one record. After an exception, {@link HandlerOptions} says what happens to the record. */
@FunctionalInterface
public interface Handler<K, V> {
    void handle(Received<K, V> record) throws Exception;
}
