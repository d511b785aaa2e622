package dev.muster.cli.demo;

import dev.muster.cli.group.GroupPhase;
import dev.muster.cli.group.LagTotal;
import dev.muster.cli.text.Spans;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.Ownership;
import dev.muster.embedded.admin.Groups.Lag;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Renders the demo's screen as text. Each group has its members as rows and the partitions as columns. */
final class DemoScreen {
    private static final String[] COLORS = {"36", "33", "35", "32", "34", "31"};
    private static final Widths WIDE = new Widths(14, 7, 3);
    private static final Widths NARROW = new Widths(13, 6, 1);
    /** The width of the process id and the state. */
    private static final int MORE_WIDTH = "pid 1234567  starting".length();

    private static final int EVENTS_MIN = 3;
    /** The state of a process that has not joined yet. */
    static final String STARTING = "starting";

    private final boolean color;
    private final String owned;
    private final String leaving;
    private final String none;

    /** @param unicode true if the terminal shows more than ASCII */
    DemoScreen(boolean color, boolean unicode) {
        this.color = color;
        this.owned = unicode ? "■" : "#";
        this.leaving = unicode ? "▒" : "~";
        this.none = unicode ? "·" : ".";
    }

    /**
     * The widths of a row.
     *
     * @param gap the space between the cells and the rest of the row
     */
    private record Widths(int name, int cell, int gap) {
        /** On a narrow terminal the state of a member is kept and its process id is dropped. */
        static Widths of(int partitions, int columns) {
            return WIDE.name() + WIDE.cell() * partitions + WIDE.gap() + MORE_WIDTH <= columns ? WIDE : NARROW;
        }
    }

    /** A group at one moment. */
    record Pane(String name, Group group, List<Lag> lags) {}

    /** @param state null for a running member */
    record Row(String member, long pid, String state, boolean selected) {}

    /**
     * The screen, at most as large as the terminal. If there is little room, it drops older events first, then empty
     * lines, then the lag in time.
     *
     * @param events the newest last
     */
    String frame(
            String head,
            List<Pane> panes,
            Map<String, List<Row>> rows,
            List<String> events,
            String keys,
            TerminalSize size) {
        List<List<String>> blocks = new ArrayList<>();
        blocks.add(List.of(bold(head)));
        for (Pane pane : panes) {
            blocks.add(pane(pane, rows.getOrDefault(pane.name(), List.of()), size.columns())
                    .lines()
                    .toList());
        }
        int fixed = blocks.stream().mapToInt(List::size).sum() + 1;
        if (fixed > size.rows()) {
            blocks.replaceAll(block ->
                    block.stream().filter(line -> !line.startsWith("  behind")).toList());
            fixed = blocks.stream().mapToInt(List::size).sum() + 1;
        }
        int gaps = blocks.size() + 1;
        boolean airy = size.rows() - fixed - gaps >= Math.min(EVENTS_MIN, events.size());
        int room = Math.max(0, size.rows() - fixed - (airy ? gaps : 0));
        List<String> lines = new ArrayList<>();
        for (List<String> block : blocks) {
            lines.addAll(block);
            if (airy) {
                lines.add("");
            }
        }
        lines.addAll(events.subList(Math.max(0, events.size() - room), events.size()));
        if (airy) {
            lines.add("");
        }
        List<String> shown = lines.subList(0, Math.min(lines.size(), size.rows() - 1));
        return Stream.concat(shown.stream(), Stream.of(keys))
                .map(line -> cut(line, size.columns()) + "\n")
                .collect(Collectors.joining());
    }

    /**
     * Cuts a line at the width of the terminal: a longer line would wrap and scroll the first line away. Color codes
     * take no width.
     */
    private static String cut(String line, int columns) {
        StringBuilder cut = new StringBuilder();
        int width = 0;
        for (int at = 0; at < line.length(); at++) {
            if (line.charAt(at) == '\u001b') {
                int end = line.indexOf('m', at);
                cut.append(line, at, end + 1);
                at = end;
            } else if (width < columns) {
                cut.append(line.charAt(at));
                width++;
            }
        }
        return cut.toString();
    }

    private String pane(Pane pane, List<Row> rows, int columns) {
        Widths widths = Widths.of(pane.lags().size(), columns);
        Group group = pane.group();
        int members = group.members().size();
        StringBuilder text = new StringBuilder();
        text.append(bold(pane.name()))
                .append("  ")
                .append(GroupPhase.of(group))
                .append(", generation ")
                .append(group.generation())
                .append(", ")
                .append(members)
                .append(members == 1 ? " member, " : " members, ")
                .append(LagTotal.of(pane.lags()).text())
                .append('\n');
        List<TopicPartition> partitions =
                pane.lags().stream().map(Lag::partition).toList();
        line(
                text,
                widths,
                "",
                partitions.stream().map(p -> Integer.toString(p.partition())).toList(),
                "");
        Map<String, Member> byClient = new TreeMap<>();
        group.members().values().forEach(member -> byClient.put(member.spec().client(), member));
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            Optional<Member> member = Optional.ofNullable(byClient.get(row.member()));
            line(
                    text,
                    widths,
                    (row.selected() ? "> " : "  ") + row.member(),
                    cells(group, partitions, member, COLORS[i % COLORS.length]),
                    widths == WIDE ? process(row, member.isPresent()) : state(row, member.isPresent()));
        }
        line(text, widths, "  unowned", free(group, partitions), "");
        line(
                text,
                widths,
                "  lag",
                pane.lags().stream().map(DemoScreen::lag).toList(),
                widths == WIDE ? "records" : "");
        line(
                text,
                widths,
                "  behind",
                pane.lags().stream().map(DemoScreen::behind).toList(),
                "");
        return text.toString();
    }

    private static String process(Row row, boolean member) {
        return "pid " + row.pid() + (row.state() == null ? "" : "  " + row.state())
                + (member || STARTING.equals(row.state()) ? "" : "  not in the group");
    }

    private static String state(Row row, boolean member) {
        return row.state() != null ? row.state() : member ? "" : "out";
    }

    private List<String> cells(Group group, List<TopicPartition> partitions, Optional<Member> member, String code) {
        List<String> cells = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            Ownership owner = group.owners().get(partition);
            boolean mine = owner != null
                    && member.isPresent()
                    && owner.member().equals(member.get().spec().id());
            boolean stays = mine && member.get().target().contains(partition);
            cells.add(!mine ? none : stays ? paint(code, owned) : paint(code, leaving));
        }
        return cells;
    }

    private List<String> free(Group group, List<TopicPartition> partitions) {
        return partitions.stream()
                .map(partition -> group.owners().containsKey(partition) ? none : paint("31", owned))
                .toList();
    }

    private static String lag(Lag lag) {
        return lag.lag().isPresent() ? Long.toString(lag.lag().getAsLong()) : "-";
    }

    private static String behind(Lag lag) {
        return lag.behind().map(span -> Spans.show(span).replace(" ", "")).orElse("-");
    }

    private static void line(StringBuilder text, Widths widths, String name, List<String> cells, String more) {
        StringBuilder line = new StringBuilder(name).append(" ".repeat(Math.max(1, widths.name() - name.length())));
        for (String cell : cells) {
            line.append(" ".repeat(Math.max(1, widths.cell() - width(cell)))).append(cell);
        }
        text.append((line + (more.isEmpty() ? "" : " ".repeat(widths.gap()) + more)).stripTrailing())
                .append('\n');
    }

    /** The width of a cell without its color codes. */
    private static int width(String cell) {
        return cell.replaceAll("\u001b\\[[0-9;]*m", "").length();
    }

    private String paint(String code, String text) {
        return color ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }

    private String bold(String text) {
        return paint("1", text);
    }
}
