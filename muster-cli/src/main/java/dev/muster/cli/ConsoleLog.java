package dev.muster.cli;

import dev.muster.core.json.JsonWriter;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;

/**
 * The log of the process on stderr, a line per message. The libraries log through {@link System.Logger}, which reaches
 * {@code java.util.logging}; that reads this class when the first message is logged, so a command without messages does
 * not pay for it. With {@code -q} only errors are shown, with {@code -v} details and stack traces too, and with
 * {@code -o json} or {@code jsonl} each line is an object.
 */
public final class ConsoleLog {
    private static final String CONFIG_CLASS = "java.util.logging.config.class";
    private static final String CONFIG_FILE = "java.util.logging.config.file";
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT);
    /** Held here: {@code java.util.logging} forgets the level of a logger that nothing refers to. */
    private static final Logger MUSTER = Logger.getLogger("dev.muster");

    /**
     * The form of the log.
     *
     * @param least the lowest level that is shown
     * @param json true if each line is an object
     * @param traces true if stack traces are shown
     */
    record Style(Level least, boolean json, boolean traces) {
        static Style of(boolean quiet, boolean verbose, boolean json) {
            Level least = verbose ? Level.FINE : quiet ? Level.SEVERE : Level.INFO;
            return new Style(least, json, verbose);
        }
    }

    /** The current style. A class of its own: setting it must not load the classes of {@code java.util.logging}. */
    static final class Choice {
        private static volatile boolean quiet;
        private static volatile boolean verbose;
        private static volatile boolean json;

        private Choice() {}

        /** Asks {@code java.util.logging} to use this class, unless the user configured it. */
        static void install() {
            if (System.getProperty(CONFIG_CLASS) == null && System.getProperty(CONFIG_FILE) == null) {
                System.setProperty(CONFIG_CLASS, "dev.muster.cli.ConsoleLog");
            }
        }

        static void set(boolean isQuiet, boolean isVerbose, boolean isJson) {
            quiet = isQuiet;
            verbose = isVerbose;
            json = isJson;
        }
    }

    /** Called by {@code java.util.logging} when it starts. */
    public ConsoleLog() {
        Style style = Style.of(Choice.quiet, Choice.verbose, Choice.json);
        Logger root = Logger.getLogger("");
        root.addHandler(handler(System.err, style));
        MUSTER.setLevel(style.least());
    }

    /** A handler that writes each message at once. */
    static Handler handler(OutputStream to, Style style) {
        Handler handler = new StreamHandler(to, new Line(style)) {
            @Override
            public synchronized void publish(LogRecord message) {
                super.publish(message);
                flush();
            }

            // The log ends before the command does: stderr stays open for the last messages of the command.
            @Override
            public synchronized void close() {
                flush();
            }
        };
        handler.setLevel(style.least());
        try {
            handler.setEncoding(StandardCharsets.UTF_8.name());
        } catch (java.io.UnsupportedEncodingException e) {
            throw new AssertionError("every Java knows UTF-8", e);
        }
        return handler;
    }

    /** One message as one line. */
    private static final class Line extends Formatter {
        private final Style style;

        private Line(Style style) {
            this.style = style;
        }

        @Override
        public String format(LogRecord message) {
            String text = formatMessage(message);
            Throwable thrown = message.getThrown();
            if (thrown != null) {
                text += ": " + (thrown.getMessage() == null ? thrown : thrown.getMessage());
            }
            text = text.replace('\n', ' ');
            String line = style.json() ? object(message, text) : text(message, text);
            return line + "\n" + (style.traces() && thrown != null ? Problem.stackTrace(thrown) + "\n" : "");
        }

        private static String text(LogRecord message, String text) {
            String at = TIME.format(Instant.ofEpochMilli(message.getMillis()).atZone(ZoneId.systemDefault()));
            return at + " " + name(message.getLevel()) + ": " + text;
        }

        private static String object(LogRecord message, String text) {
            return new JsonWriter()
                    .object()
                    .field("event", "log")
                    .field("level", name(message.getLevel()))
                    .field("message", text)
                    .field("logger", message.getLoggerName())
                    .field("at", message.getMillis())
                    .end()
                    .toString();
        }

        private static String name(Level level) {
            int value = level.intValue();
            return value >= Level.SEVERE.intValue()
                    ? "error"
                    : value >= Level.WARNING.intValue() ? "warning" : value >= Level.INFO.intValue() ? "info" : "debug";
        }
    }
}
