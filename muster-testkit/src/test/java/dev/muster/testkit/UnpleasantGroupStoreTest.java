package dev.muster.testkit;

import dev.muster.store.LogStore;
import dev.muster.store.memory.MemoryStore;
import dev.muster.testkit.unpleasant.Trouble;
import dev.muster.testkit.unpleasant.UnpleasantStore;
import dev.muster.testkit.unpleasant.Writers;

/** A store that keeps the contract and no more passes the tests of groups. */
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
