package dev.muster.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.text.Table.Column;
import dev.muster.cli.text.Table.Shown;
import org.junit.jupiter.api.Test;

class TableTest {
    private static Table sample() {
        Table table = new Table(Column.of("NAME", "name"), Column.of("SIZE", "sizeBytes"), Column.wide("NOTE", "note"));
        table.row("orders", new Shown(2048L, "2.00 KiB"), "a,\"b\"");
        table.row("x", new Shown(7L, "7 B"), "-");
        return table;
    }

    @Test
    void aTableIsAlignedAndHidesWideColumns() {
        assertThat(sample().render(OutputFormat.TABLE, false)).isEqualTo("""
            NAME        SIZE
            orders  2.00 KiB
            x            7 B
            """);
        assertThat(sample().render(OutputFormat.WIDE, false)).isEqualTo("""
            NAME        SIZE  NOTE
            orders  2.00 KiB  a,"b"
            x            7 B  -
            """);
    }

    @Test
    void formatsForProgramsShowValues() {
        assertThat(sample().render(OutputFormat.JSON, true))
                .isEqualTo(
                        "[{\"name\":\"orders\",\"sizeBytes\":2048,\"note\":\"a,\\\"b\\\"\"},{\"name\":\"x\",\"sizeBytes\":7,\"note\":\"-\"}]\n");
        assertThat(sample().render(OutputFormat.JSONL, true)).hasLineCount(2).startsWith("{\"name\":\"orders\"");
        assertThat(sample().render(OutputFormat.CSV, true)).isEqualTo("""
            name,sizeBytes,note
            orders,2048,"a,""b""\"
            x,7,-
            """);
        assertThat(sample().render(OutputFormat.NAME, true)).isEqualTo("orders\nx\n");
    }

    @Test
    void onlyTheTitlesAreBold() {
        assertThat(sample().render(OutputFormat.TABLE, true)).startsWith("\u001b[1mNAME        SIZE\u001b[0m\norders");
    }

    @Test
    void theSmallestAndLargestIntegersAreExact() throws java.io.IOException {
        var out = new java.io.ByteArrayOutputStream();
        ByteSink sink = new ByteSink(out, 1);
        for (long number : new long[] {
            0, 9, 10, -1, 99, 100, Long.MAX_VALUE, Long.MIN_VALUE, -Long.MAX_VALUE, 1_000_000_000_000_000_000L
        }) {
            sink.decimal(number);
            sink.put(' ');
        }
        sink.flush();
        assertThat(out.toString(java.nio.charset.StandardCharsets.US_ASCII))
                .isEqualTo("0 9 10 -1 99 100 9223372036854775807 -9223372036854775808 -9223372036854775807"
                        + " 1000000000000000000 ");
    }
}
