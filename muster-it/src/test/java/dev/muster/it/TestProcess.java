package dev.muster.it;

import java.io.IOException;
import java.util.List;

/** A JVM started by a test of another package; see {@link Child}. */
public final class TestProcess implements AutoCloseable {
    private final Child child;

    private TestProcess(Child child) {
        this.child = child;
    }

    public static TestProcess start(Class<?> main, Object... arguments) throws IOException {
        return new TestProcess(Child.start(main, arguments));
    }

    /** @param jvm options of the JVM, which override the default ones */
    public static TestProcess start(List<String> jvm, Class<?> main, Object... arguments) throws IOException {
        return new TestProcess(Child.start(jvm, main, arguments));
    }

    public long pid() {
        return child.pid();
    }

    /** The next line of its output, or null at the end. */
    public String readLine() throws IOException {
        return child.readLine();
    }

    /** Writes a line to its input. */
    public void tell(String line) throws IOException {
        child.tell(line);
    }

    public boolean isAlive() {
        return child.isAlive();
    }

    /** Sends SIGKILL without waiting. */
    public void killNow() {
        child.killNow();
    }

    /** Sends SIGKILL, and returns when the process is dead. */
    public void kill() throws IOException, InterruptedException {
        child.kill();
    }

    public int await() throws InterruptedException {
        return child.await();
    }

    @Override
    public void close() {
        child.close();
    }
}
