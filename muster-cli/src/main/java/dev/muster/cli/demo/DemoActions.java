package dev.muster.cli.demo;

import dev.muster.cli.demo.MemberProcess.State;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Consumer;

/** The actions on members, for keys and for the script. Each action is reported. For one thread. */
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
        tell.accept("resumes " + member.name() + " (process " + member.pid() + ")");
        member.goOn();
    }

    /** Acts on the first process of a group that is in this state, if there is one. */
    void with(String group, State state, Consumer<MemberProcess> action) {
        living().stream()
                .filter(member -> member.group().equals(group) && member.state() == state)
                .findFirst()
                .ifPresent(action);
    }

    /** True if the groups agree with the processes: every running process is a member, and no ended one is. */
    boolean isSettled() {
        return playground.members().stream().allMatch(member -> switch (member.state()) {
            case RUNNING -> playground.isMember(member);
            case KILLED, ENDED -> !playground.isMember(member);
            // A stopped process is a member until its session expires.
            case STOPPED -> true;
        });
    }

    private List<MemberProcess> living() {
        return playground.members().stream()
                .filter(member -> member.state() == State.RUNNING || member.state() == State.STOPPED)
                .toList();
    }

    /** The member that keys act on; null if none is alive. */
    MemberProcess selected() {
        List<MemberProcess> living = living();
        return living.isEmpty() ? null : living.get(Math.floorMod(selected, living.size()));
    }

    /** @return true if the key ends the demo */
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
                // Other keys have no effect.
            }
        }
        return false;
    }
}
