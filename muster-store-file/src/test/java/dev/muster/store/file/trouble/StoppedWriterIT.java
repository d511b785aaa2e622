package dev.muster.store.file.trouble;

/** Every place. */
class StoppedWriterIT extends StoppedWriters {
    StoppedWriterIT() {
        super(1);
    }
}
