package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.json.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class ConsoleLogTest {
    private static String logged(ConsoleLog.Style style, Level level, Throwable thrown) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Handler handler = ConsoleLog.handler(out, style);
        LogRecord message = new LogRecord(level, "group {0} is passed over");
        message.setParameters(new Object[] {"bill\ning"});
        message.setLoggerName("dev.muster.engine.admin.ServedGroups");
        message.setThrown(thrown);
        handler.publish(message);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static ConsoleLog.Style plain() {
        return ConsoleLog.Style.of(false, false, false);
    }

    @Test
    void aMessageIsOneLineWithTimeAndLevel() {
        assertThat(logged(plain(), Level.WARNING, new IllegalStateException("disk gone")))
                .matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} warning: group bill ing is passed over:"
                        + " disk gone\n");
        assertThat(logged(plain(), Level.SEVERE, null)).contains(" error: ");
        assertThat(logged(plain(), Level.INFO, null)).contains(" info: ");
        assertThat(logged(plain(), Level.FINE, null)).isEmpty();
    }

    @Test
    void quietShowsOnlyErrors() {
        ConsoleLog.Style quiet = ConsoleLog.Style.of(true, false, false);
        assertThat(logged(quiet, Level.WARNING, null)).isEmpty();
        assertThat(logged(quiet, Level.SEVERE, null)).isNotEmpty();
    }

    @Test
    void verboseShowsDetailsAndStackTraces() {
        ConsoleLog.Style verbose = ConsoleLog.Style.of(false, true, false);
        assertThat(logged(verbose, Level.FINE, null)).contains(" debug: ");
        assertThat(logged(verbose, Level.WARNING, new IllegalStateException("x")))
                .contains("at dev.muster.cli.ConsoleLogTest");
    }

    @Test
    void jsonMakesEachLineAnObject() {
        Object parsed = Json.parse(logged(ConsoleLog.Style.of(false, false, true), Level.WARNING, null));
        Map<?, ?> object = (Map<?, ?>) parsed;
        assertThat(object.get("event")).isEqualTo("log");
        assertThat(object.get("level")).isEqualTo("warning");
        assertThat(object.get("message")).isEqualTo("group bill ing is passed over");
    }
}
