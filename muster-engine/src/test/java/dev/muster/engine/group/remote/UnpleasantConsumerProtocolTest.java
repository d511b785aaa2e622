package dev.muster.engine.group.remote;

import dev.muster.engine.group.SimulatedWorld;

/** The same tests on a store with stale reads, short lines and no views. */
class UnpleasantConsumerProtocolTest extends ConsumerProtocolTest {
    @Override
    SimulatedWorld newWorld() {
        return SimulatedWorld.unpleasant(1);
    }
}
