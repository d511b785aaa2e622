package dev.muster.store.file.trouble;

/** Stops the writer at every place. */
class StoppedWriterIT extends StoppedWriters {
    StoppedWriterIT() {
        super(1);
    }
}
