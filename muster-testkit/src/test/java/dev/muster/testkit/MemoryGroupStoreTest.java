package dev.muster.testkit;

import dev.muster.store.LogStore;
import dev.muster.store.memory.MemoryStore;

/** The memory store passes the tests of groups. */
class MemoryGroupStoreTest implements GroupStoreContract {
    @Override
    public LogStore open() {
        return new MemoryStore();
    }

    @Override
    public LogStore openBeside(LogStore first) {
        return ((MemoryStore) first).anotherHost();
    }

    @Override
    public boolean durable() {
        return false;
    }
}
