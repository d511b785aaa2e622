package dev.muster.testkit;

import dev.muster.store.LogStore;
import dev.muster.store.memory.MemoryStore;
import dev.muster.testkit.unpleasant.Trouble;
import dev.muster.testkit.unpleasant.UnpleasantStore;
import dev.muster.testkit.unpleasant.Writers;

/** Runs the tests of groups on a store that does only what the contract promises. */
class UnpleasantGroupStoreTest implements GroupStoreContract {
    private final Writers writers = new Writers();
    private MemoryStore memory;

    @Override
    public LogStore open() {
        memory = new MemoryStore();
        return new UnpleasantStore(memory, Trouble.withoutFailures(1), writers, "p1");
    }

    @Override
    public LogStore openBeside(LogStore first) {
        return new UnpleasantStore(memory.anotherHost(), Trouble.withoutFailures(2), writers, "p2");
    }

    @Override
    public boolean durable() {
        return false;
    }
}
