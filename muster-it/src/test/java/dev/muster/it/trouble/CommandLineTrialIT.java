package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the command says and does where only a real process shows it: users, permissions, streams. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class CommandLineTrialIT {
    private static final int NOBODY = 65534;

    @TempDir
    Path temp;

    /**
     * A command that is subject to permissions. Root without these capabilities is: it may not read what belongs to
     * another user, and still reads the program below its home. Needs root, which alone can give files away.
     */
    private static MusterCommand withoutPrivileges(Path data) {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root to give files to another user");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "needs setpriv");
        return MusterCommand.on(data).under("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--");
    }

    /** Gives a folder to another user, who alone may enter it. */
    private static void giveAway(Path folder) throws IOException {
        Files.setAttribute(folder, "unix:uid", NOBODY);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    }

    /** The error said "not a data directory", which sent users to look for their data elsewhere. */
    @Test
    void aDirectoryThatTheUserMayNotReadIsPermissionDenied() throws IOException, InterruptedException {
        Path data = temp.resolve("data");
        MusterCommand.on(data).runWithInput("a\n", "produce", "t");
        giveAway(data);
        for (String command : new String[] {"topic list", "check", "produce t"}) {
            MusterCommand.Result result = withoutPrivileges(data).run(command.split(" "));
            assertThat(result.exit()).as(command + ": " + result.errors()).isEqualTo(4);
            assertThat(result.errors()).contains("permission denied: " + data).doesNotContain("not a data directory");
        }
        giveAway(temp);
        assertThat(withoutPrivileges(data).run("topic", "list").errors()).contains("permission denied: " + data);
    }
}
