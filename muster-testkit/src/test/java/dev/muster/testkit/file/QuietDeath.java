package dev.muster.testkit.file;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Threads of a simulated process that lost its power or was killed end with an error. Real ones just end: say nothing.
 */
final class QuietDeath implements BeforeAllCallback {
    /** For good: such a thread may notice only after the test that it is dead. */
    @Override
    public void beforeAll(ExtensionContext context) {
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            String message = String.valueOf(e.getMessage());
            if (!message.contains("power is off") && !message.contains("the process was killed")) {
                System.err.println("thread " + thread.getName() + " ended by " + e);
            }
        });
    }
}
