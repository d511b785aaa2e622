package dev.muster.store.file.trouble;

/** Stops the writer at some places in every build. */
class StoppedWriterTest extends StoppedWriters {
    StoppedWriterTest() {
        super(4);
    }
}
