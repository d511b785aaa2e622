package dev.muster.it;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Stops the calling process (SIGSTOP) at this instruction, until it gets SIGCONT. */
final class Stop {
    private static final int SIGSTOP = 19;
    private static final MethodHandle RAISE = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().find("raise").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private Stop() {}

    static void self() {
        try {
            int result = (int) RAISE.invokeExact(SIGSTOP);
            if (result != 0) {
                throw new IllegalStateException("raise returned " + result);
            }
        } catch (Throwable e) {
            throw new IllegalStateException("cannot stop this process", e);
        }
    }
}
