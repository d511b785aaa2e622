package dev.muster.testkit.forward;

import dev.muster.core.group.model.HostId;
import dev.muster.store.group.Hosts;
import dev.muster.store.group.Lease;
import dev.muster.store.watch.Registration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Hosts that pass every call on to other hosts. */
public class ForwardingHosts implements Hosts {
    private final Hosts target;

    public ForwardingHosts(Hosts target) {
        this.target = target;
    }

    protected Hosts target() {
        return target;
    }

    @Override
    public HostId self() {
        return target.self();
    }

    @Override
    public String machine() {
        return target.machine();
    }

    @Override
    public Lease renew() {
        return target.renew();
    }

    @Override
    public OptionalLong renewals(HostId host) {
        return target.renewals(host);
    }

    @Override
    public Registration watch(HostId host, Consumer<HostId> listener) {
        return target.watch(host, listener);
    }

    @Override
    public OptionalLong lastSign(HostId host) {
        return target.lastSign(host);
    }

    @Override
    public boolean gone(HostId host) {
        return target.gone(host);
    }

    @Override
    public boolean alone() {
        return target.alone();
    }

    @Override
    public Registration onLost(Runnable listener) {
        return target.onLost(listener);
    }
}
