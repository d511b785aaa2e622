package dev.muster.testkit.file;

/** Some places, for every build. */
class StoppedWriterTest extends StoppedWriters {
    StoppedWriterTest() {
        super(4);
    }
}
