package dev.muster.cli.demo;

import dev.muster.cli.demo.MemberProcess.State;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Consumer;

/** What can be done to the members, by a key or by the script. Each action is told. For one thread. */
final class DemoActions {
    private final Playground playground;
    private final Consumer<String> tell;
    private int selected;

    DemoActions(Playground playground, Consumer<String> tell) {
        this.playground = playground;
        this.tell = tell;
    }

    void add(String group) {
        MemberProcess member = playground.add(group);
        tell.accept("starts " + member.name() + " (process " + member.pid() + ")");
    }

    void kill(MemberProcess member) {
        tell.accept("kills " + member.name() + " (process " + member.pid() + ") with SIGKILL");
        member.kill();
    }

    void stop(MemberProcess member) {
        tell.accept("stops " + member.name() + " (process " + member.pid() + ") with SIGSTOP");
        try {
            member.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void goOn(MemberProcess member) {
        tell.accept("lets " + member.name() + " (process " + member.pid() + ") go on");
        member.goOn();
    }

    /** Does something to the first process of a group that is in this state, if there is one. */
    void with(String group, State state, Consumer<MemberProcess> action) {
        living().stream()
                .filter(member -> member.group().equals(group) && member.state() == state)
                .findFirst()
                .ifPresent(action);
    }

    /** Whether the groups know it: every process that runs is a member, and none that is gone. */
    boolean isSettled() {
        return playground.members().stream().allMatch(member -> switch (member.state()) {
            case RUNNING -> playground.isMember(member);
            case KILLED, ENDED -> !playground.isMember(member);
            // In its group until its session is over.
            case STOPPED -> true;
        });
    }

    private List<MemberProcess> living() {
        return playground.members().stream()
                .filter(member -> member.state() == State.RUNNING || member.state() == State.STOPPED)
                .toList();
    }

    /** The member that keys are about; null when none lives. */
    MemberProcess selected() {
        List<MemberProcess> living = living();
        return living.isEmpty() ? null : living.get(Math.floorMod(selected, living.size()));
    }

    /** @return whether the key means that it is over */
    boolean key(char key) {
        MemberProcess member = selected();
        switch (key) {
            case 'q' -> {
                return true;
            }
            case 'n', '\t' -> selected++;
            case 'a' -> add(member == null ? Playground.GROUPS.getFirst() : member.group());
            case 'k' -> {
                if (member != null) {
                    kill(member);
                }
            }
            case 's' -> {
                if (member != null && member.state() == State.STOPPED) {
                    goOn(member);
                } else if (member != null) {
                    stop(member);
                }
            }
            default -> {
                // Any other key means nothing.
            }
        }
        return false;
    }
}
