package dev.muster.cli.demo;

import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.Session;
import dev.muster.cli.demo.MemberProcess.State;
import dev.muster.cli.group.GroupChanges;
import dev.muster.cli.text.Moments;
import dev.muster.core.Counts;
import dev.muster.core.group.Group;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The running demo: observes the groups, shows them, and performs the actions of keys or script. For one thread. */
final class DemoRun {
    private static final long LOOK_EVERY_NANOS = 100_000_000L;
    /** The most time that counts between two looks. So a busy machine runs the script slowly, but completely. */
    private static final long STALL_NANOS = 2 * LOOK_EVERY_NANOS;
    /** The longest wait for groups to settle, before the script continues. */
    private static final long PATIENCE_NANOS = Duration.ofMinutes(1).toNanos();

    private static final int EVENTS_SHOWN = 10;
    /** The number of frames after which the size of the terminal is read again. */
    private static final int FRAMES_PER_SIZE = 20;

    private static final String SCREEN_BEGIN = "\u001b[?1049h\u001b[?25l";
    private static final String SCREEN_END = "\u001b[?25h\u001b[?1049l";
    private static final String KEYS = "k kill   s stop / resume   a add   n next member   q quit";

    private final RootCommand root;
    private final Session session;
    private final Playground playground;
    private final boolean byKeys;
    private final Duration time;
    /** True if each frame replaces the previous one; otherwise events follow each other on lines. */
    private final boolean onScreen;

    private final DemoScreen screen;
    private final DemoActions actions;
    private final Map<String, GroupChanges> changes = new HashMap<>();
    private final Deque<String> events = new ArrayDeque<>();
    private final Set<String> mourned = new HashSet<>();
    private final Set<String> joined = new HashSet<>();
    private TerminalSize size = TerminalSize.UNLIMITED;
    private long frames;

    /**
     * @param byKeys true if keys control the demo
     * @param time the length of the demo, or null for no end
     */
    DemoRun(RootCommand root, Playground playground, boolean byKeys, Duration time) {
        this.root = root;
        this.session = root.session();
        this.playground = playground;
        this.byKeys = byKeys;
        this.time = time;
        this.onScreen =
                session.terminal().out() && !"dumb".equals(session.environment().apply("TERM"));
        this.screen = new DemoScreen(root.colorful(), speaksUnicode(session));
        this.actions =
                new DemoActions(playground, what -> tell("demo", session.clock().millis(), what));
    }

    private static boolean speaksUnicode(Session session) {
        for (String name : List.of("LC_ALL", "LC_CTYPE", "LANG")) {
            String value = session.environment().apply(name);
            if (value != null && !value.isEmpty()) {
                return value.toUpperCase(java.util.Locale.ROOT).contains("UTF");
            }
        }
        return false;
    }

    void run(int members) throws IOException, InterruptedException {
        if (onScreen) {
            session.print(SCREEN_BEGIN);
        }
        try (RawKeys keys = byKeys ? RawKeys.of(session.in()) : null) {
            // On a busy machine members take seconds to start.
            tell("demo", session.clock().millis(), "starting members");
            look();
            for (int i = 0; i < members; i++) {
                Playground.GROUPS.forEach(actions::add);
            }
            play(keys);
        } finally {
            if (onScreen) {
                session.print(SCREEN_END);
            }
        }
        playground.groups().list().forEach(this::sum);
    }

    private void play(RawKeys keys) {
        DemoScript script = byKeys ? null : new DemoScript(time);
        long elapsed = 0;
        long lookedAt = System.nanoTime();
        long settledAt = lookedAt;
        boolean over = false;
        while (!over && !session.stop().isRaised()) {
            long now = System.nanoTime();
            boolean settled = actions.isSettled();
            settledAt = settled ? now : settledAt;
            if (settled || now - settledAt > PATIENCE_NANOS) {
                elapsed += Math.min(now - lookedAt, STALL_NANOS);
            }
            lookedAt = now;
            over = time != null && elapsed >= time.toNanos();
            if (script != null) {
                script.play(elapsed, actions);
            }
            for (Character key = keys == null ? null : keys.next(); key != null; key = keys.next()) {
                over |= actions.key(key);
            }
            look();
            session.stop().await(LOOK_EVERY_NANOS);
        }
    }

    private void look() {
        List<DemoScreen.Pane> panes = new ArrayList<>();
        for (String name : Playground.GROUPS) {
            Group group = playground.groups().state(name).orElse(Group.empty());
            // The first comparison is with an empty group, so that the first joins are changes too.
            changes.computeIfAbsent(name, first -> new GroupChanges(Group.empty(), false))
                    .since(group, session.clock().millis())
                    .forEach(change -> tell(name, change.at(), change.text()));
            panes.add(new DemoScreen.Pane(
                    name,
                    group,
                    group == Group.empty() ? List.of() : playground.groups().lag(name)));
        }
        mourn();
        if (onScreen) {
            draw(panes);
        }
    }

    /** Reports members that ended without being killed. */
    private void mourn() {
        for (MemberProcess member : playground.members()) {
            if (member.state() == State.ENDED && mourned.add(member.name())) {
                tell(
                        "demo",
                        session.clock().millis(),
                        member.name() + " ended by itself: " + member.lastWords(playground.folder()));
            }
        }
    }

    private void tell(String about, long at, String what) {
        String line =
                Moments.showTime(at, session.clock().getZone()) + "  " + about + " ".repeat(10 - about.length()) + what;
        events.add(line);
        if (events.size() > EVENTS_SHOWN) {
            events.remove();
        }
        if (!onScreen) {
            session.print(line + "\n");
        }
    }

    private void draw(List<DemoScreen.Pane> panes) {
        Map<String, List<DemoScreen.Row>> rows = new LinkedHashMap<>();
        MemberProcess selected = byKeys ? actions.selected() : null;
        for (MemberProcess member : playground.members()) {
            if (member.state() == State.RUNNING || member.state() == State.STOPPED) {
                String state =
                        member.state() == State.STOPPED ? "stopped" : hasJoined(member) ? null : DemoScreen.STARTING;
                rows.computeIfAbsent(member.group(), group -> new ArrayList<>())
                        .add(new DemoScreen.Row(member.name(), member.pid(), state, member == selected));
            }
        }
        String head = "muster demo   topic " + Playground.TOPIC + ", " + Counts.of(playground.sent(), "record") + "   "
                + playground.folder();
        String frame = screen.frame(head, panes, rows, List.copyOf(events), byKeys ? KEYS : "runs a script", size());
        // A newline after the last line would scroll a full screen.
        session.print("\u001b[H" + frame.stripTrailing().replace("\n", "\u001b[K\n") + "\u001b[K\u001b[J");
    }

    private boolean hasJoined(MemberProcess member) {
        if (!joined.contains(member.name()) && playground.isMember(member)) {
            joined.add(member.name());
        }
        return joined.contains(member.name());
    }

    private TerminalSize size() {
        if (frames++ % FRAMES_PER_SIZE == 0) {
            size = TerminalSize.now();
        }
        return size;
    }

    private void sum(String name) {
        playground
                .groups()
                .find(name)
                .ifPresent(group -> root.note(name + " came to generation " + group.generation() + "; "
                        + Counts.of(playground.sent(), "record")
                        + (playground.sent() == 1 ? " was produced" : " were produced")));
    }
}
