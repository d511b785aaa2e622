package dev.muster.embedded;

import dev.muster.embedded.internal.OpenMuster;
import dev.muster.store.memory.MemoryStore;
import java.util.HashMap;
import java.util.Map;

class MemoryGroupTest extends GroupTests {
    private final MemoryStore memory = new MemoryStore();
    private final Map<Muster, MemoryStore> stores = new HashMap<>();

    @Override
    Muster process() {
        MemoryStore store = memory.anotherHost();
        OpenMuster muster = OpenMuster.over(store);
        stores.put(muster, store);
        return muster;
    }

    @Override
    void kill(Muster process) {
        stores.get(process).kill();
    }
}
