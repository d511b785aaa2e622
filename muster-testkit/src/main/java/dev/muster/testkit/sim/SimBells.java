package dev.muster.testkit.sim;

import dev.muster.disk.Bells;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The bells of a simulated process. Whenever any bell may have rung, all waiting threads wake and look. */
final class SimBells implements Bells {
    private final SimProcess process;
    private final Bells bells;
    private Thread waiter;

    SimBells(SimProcess process, Bells bells) {
        this.process = process;
        this.bells = bells;
        process.simulation().listeners().add(this);
    }

    static void ring(Simulation sim) {
        sim.listeners().forEach(SimBells::wake);
    }

    private void wake() {
        LockSupport.unpark(waiter);
    }

    @Override
    public boolean watch(Path bell) throws IOException {
        process.point(SimDisk.CALL);
        return bells.watch(bell);
    }

    @Override
    public void forget(Path bell) {
        process.checkAlive();
        bells.forget(bell);
    }

    @Override
    public List<Path> await(long timeoutNanos) throws IOException {
        process.point(SimDisk.CALL);
        List<Path> rung = bells.await(0);
        if (rung.isEmpty()) {
            waiter = process.currentThread();
            process.pause(timeoutNanos);
            rung = bells.await(0);
        }
        return rung;
    }

    @Override
    public void wakeUp() {
        process.checkAlive();
        wake();
    }

    @Override
    public void close() {
        process.simulation().listeners().remove(this);
        bells.close();
        wake();
    }
}
