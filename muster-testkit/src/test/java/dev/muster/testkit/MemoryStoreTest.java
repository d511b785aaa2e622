package dev.muster.testkit;

import dev.muster.store.LogStore;
import dev.muster.store.memory.MemoryStore;

class MemoryStoreTest implements LogStoreContract {
    @Override
    public LogStore open() {
        return new MemoryStore();
    }

    @Override
    public boolean durable() {
        return false;
    }
}
