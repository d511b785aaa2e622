package dev.muster.store.file.trouble;

/** Some places, for every build. */
class StoppedWriterTest extends StoppedWriters {
    StoppedWriterTest() {
        super(4);
    }
}
