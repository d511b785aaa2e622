package dev.muster.cli.produce;

import dev.muster.cli.text.JsonRecordParser;
import dev.muster.cli.text.Lines;
import dev.muster.core.MusterException;
import dev.muster.embedded.Message;
import java.io.IOException;
import java.io.InputStream;

/** Records from one stream. For one thread. */
interface RecordSource {
    /** The next record, or null at the end. */
    Message<byte[], byte[]> next() throws IOException;

    /** The place of the last record, for a message: {@code line 17}. */
    String place();

    /** Each line is a record. */
    static RecordSource text(Lines lines, TextRecord shape, EndOfInput end) {
        return new OfLines(lines, end) {
            @Override
            Message<byte[], byte[]> record(Lines line) {
                return shape.record(line.buffer(), line.from(), line.to());
            }
        };
    }

    /** Each line is a JSON object that describes a record. Empty lines are skipped. */
    static RecordSource jsonLines(Lines lines, JsonDefaults defaults, EndOfInput end) {
        return new OfLines(lines, end) {
            @Override
            boolean counts(Lines line) {
                return line.to() > line.from();
            }

            @Override
            Message<byte[], byte[]> record(Lines line) {
                return defaults.complete(JsonRecordParser.parse(line.buffer(), line.from(), line.to()));
            }
        };
    }

    /** The whole stream is one record. */
    static RecordSource raw(InputStream in, int bytesMax, TextRecord shape, EndOfInput end) {
        return new RecordSource() {
            private boolean read;

            @Override
            public Message<byte[], byte[]> next() throws IOException {
                if (read) {
                    return null;
                }
                read = true;
                byte[] bytes = in.readNBytes(bytesMax + 1);
                if (bytes.length > bytesMax) {
                    throw new MusterException(
                            "the input is longer than " + bytesMax + " bytes", "raise max.message.bytes");
                }
                return end.isCut() ? null : shape.whole(bytes);
            }

            @Override
            public String place() {
                return "the input";
            }
        };
    }

    /** True if a stream ended because of the stop signal. Then its last, unfinished line is no record. */
    interface EndOfInput {
        boolean isCut();
    }

    /** The values of the options for records from JSON. */
    interface JsonDefaults {
        Message<byte[], byte[]> complete(Message<byte[], byte[]> record);
    }

    /** The common part of {@code text} and {@code jsonLines}: a source that makes a record of each line. */
    abstract class OfLines implements RecordSource {
        private final Lines lines;
        private final EndOfInput end;

        OfLines(Lines lines, EndOfInput end) {
            this.lines = lines;
            this.end = end;
        }

        abstract Message<byte[], byte[]> record(Lines line);

        boolean counts(Lines line) {
            return true;
        }

        @Override
        public Message<byte[], byte[]> next() throws IOException {
            while (lines.next()) {
                if (!lines.isWhole() && end.isCut()) {
                    return null;
                }
                if (counts(lines)) {
                    return record(lines);
                }
            }
            return null;
        }

        @Override
        public String place() {
            return "line " + lines.number();
        }
    }
}
