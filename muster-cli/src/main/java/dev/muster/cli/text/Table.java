package dev.muster.cli.text;

import dev.muster.core.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows of values, rendered in each output format. The first column is the name of the row's thing, unless
 * {@link #namedBy} names another. Wide-only columns appear in {@code wide} and in the formats for programs.
 */
public final class Table {
    /** A column, by its title in text and its key in JSON. */
    public record Column(String title, String key, boolean wideOnly) {
        public static Column of(String title, String key) {
            return new Column(title, key, false);
        }

        public static Column wide(String title, String key) {
            return new Column(title, key, true);
        }
    }

    /** A value that differs between text and JSON. */
    public record Shown(Object value, String text) {
        /** An unknown or missing value, which is never shown as a number. */
        public static final Shown NONE = new Shown(null, "-");
    }

    private final List<Column> columns;
    private final List<List<Object>> rows = new ArrayList<>();
    private int nameColumn;

    public Table(Column... columns) {
        this.columns = List.of(columns);
    }

    /** The column with this key names the row's thing. */
    public Table namedBy(String key) {
        nameColumn = columns.stream().map(Column::key).toList().indexOf(key);
        return this;
    }

    public void row(Object... values) {
        if (values.length != columns.size()) {
            throw new IllegalArgumentException(values.length + " values for " + columns.size() + " columns");
        }
        rows.add(List.of(values));
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** The whole table in a format, with its final newline. */
    public String render(OutputFormat format, boolean color) {
        return switch (format) {
            case TABLE -> aligned(false, color);
            case WIDE -> aligned(true, color);
            case JSON -> Json.write(objects()) + "\n";
            case JSONL -> jsonLines();
            case CSV -> csv();
            case NAME -> names();
        };
    }

    /** The rows as objects, for a larger JSON document. */
    public List<Map<String, Object>> objects() {
        List<Map<String, Object>> objects = new ArrayList<>();
        for (List<Object> row : rows) {
            Map<String, Object> object = new LinkedHashMap<>();
            for (int i = 0; i < columns.size(); i++) {
                object.put(columns.get(i).key(), row.get(i) instanceof Shown shown ? shown.value() : row.get(i));
            }
            objects.add(object);
        }
        return objects;
    }

    private String jsonLines() {
        StringBuilder out = new StringBuilder();
        objects().forEach(object -> out.append(Json.write(object)).append('\n'));
        return out.toString();
    }

    private String names() {
        StringBuilder out = new StringBuilder();
        rows.forEach(row -> out.append(text(row.get(nameColumn))).append('\n'));
        return out.toString();
    }

    private String csv() {
        StringBuilder out = new StringBuilder();
        out.append(String.join(",", columns.stream().map(Column::key).toList())).append('\n');
        for (Map<String, Object> object : objects()) {
            out.append(String.join(
                            ",", object.values().stream().map(Table::csvCell).toList()))
                    .append('\n');
        }
        return out.toString();
    }

    private static String csvCell(Object value) {
        String text = value == null ? "" : isNested(value) ? Json.write(value) : value.toString();
        boolean quoted = text.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return quoted ? "\"" + text.replace("\"", "\"\"") + "\"" : text;
    }

    private String aligned(boolean wide, boolean color) {
        StringBuilder out = new StringBuilder();
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            widths[i] = rows.stream()
                    .mapToInt(row -> text(row.get(column)).length())
                    .max()
                    .orElse(0);
            widths[i] = Math.max(widths[i], columns.get(i).title().length());
        }
        List<Object> titles = columns.stream().map(c -> (Object) c.title()).toList();
        String head = line(titles, widths, wide);
        out.append(color ? "\u001b[1m" + head + "\u001b[0m" : head).append('\n');
        rows.forEach(row -> out.append(line(row, widths, wide)).append('\n'));
        return out.toString();
    }

    private String line(List<Object> cells, int[] widths, boolean wide) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            if (columns.get(i).wideOnly() && !wide) {
                continue;
            }
            String text = text(cells.get(i));
            String gap = " ".repeat(widths[i] - text.length());
            line.append(line.isEmpty() ? "" : "  ").append(isNumeric(i) ? gap + text : text + gap);
        }
        return line.toString().stripTrailing();
    }

    private boolean isNumeric(int column) {
        List<Object> values = rows.stream()
                .map(row -> row.get(column))
                .filter(cell -> !cell.equals(Shown.NONE))
                .toList();
        return !values.isEmpty()
                && values.stream()
                        .allMatch(cell -> cell instanceof Number
                                || cell instanceof Shown shown && shown.value() instanceof Number);
    }

    private static boolean isNested(Object value) {
        return value instanceof Map<?, ?> || value instanceof Iterable<?>;
    }

    private static String text(Object cell) {
        return cell instanceof Shown shown ? shown.text() : isNested(cell) ? Json.write(cell) : cell.toString();
    }
}
