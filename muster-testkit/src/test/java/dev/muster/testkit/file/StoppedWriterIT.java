package dev.muster.testkit.file;

/** Every place. */
class StoppedWriterIT extends StoppedWriters {
    StoppedWriterIT() {
        super(1);
    }
}
