package dev.muster.store.memory;

import dev.muster.core.group.model.HostId;
import dev.muster.store.group.Hosts;
import dev.muster.store.group.Lease;
import dev.muster.store.watch.Registration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** The hosts of a memory, as one host sees them. */
final class MemoryHosts implements Hosts {
    private final Memory memory;
    private final MemoryHost self;

    MemoryHosts(Memory memory, MemoryHost self) {
        this.memory = memory;
        this.self = self;
    }

    @Override
    public HostId self() {
        return self.id();
    }

    @Override
    public Lease renew() {
        self.renew();
        return Lease.UNTIL_DEATH;
    }

    @Override
    public OptionalLong renewals(HostId host) {
        MemoryHost other = memory.hosts.get(host);
        return other == null ? OptionalLong.empty() : OptionalLong.of(other.renewals());
    }

    @Override
    public boolean gone(HostId host) {
        return !memory.hosts.containsKey(host);
    }

    @Override
    public Registration watch(HostId host, Consumer<HostId> listener) {
        MemoryHost other = memory.hosts.get(host);
        if (other != null) {
            return other.watch(listener);
        }
        Thread.ofVirtual().name("muster-memory-gone").start(() -> listener.accept(host));
        return () -> {};
    }

    @Override
    public Registration onLost(Runnable listener) {
        return () -> {};
    }
}
