package dev.muster.cli.demo;

import dev.muster.cli.demo.MemberProcess.State;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * The actions of a demo without keys, at fixed parts of its time. The time continues only while the groups are settled
 * ({@link DemoActions#isSettled}). For one thread.
 */
final class DemoScript {
    private record Step(double part, Consumer<DemoActions> action) {}

    private final long lengthNanos;
    private final Queue<Step> steps = new ArrayDeque<>(List.of(
            new Step(0.25, actions -> actions.add("billing")),
            new Step(0.45, actions -> actions.with("billing", State.RUNNING, actions::kill)),
            new Step(0.60, actions -> actions.with("shipping", State.RUNNING, actions::stop)),
            new Step(0.85, actions -> actions.with("shipping", State.STOPPED, actions::goOn))));

    DemoScript(Duration length) {
        this.lengthNanos = length.toNanos();
    }

    /** Performs the actions that are due. */
    void play(long elapsedNanos, DemoActions actions) {
        while (!steps.isEmpty() && elapsedNanos >= steps.peek().part() * lengthNanos) {
            steps.remove().action().accept(actions);
        }
    }
}
