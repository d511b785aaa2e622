package dev.muster.cli.serve;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.RootCommand;
import dev.muster.kafka.config.ServerConfig;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The server's settings from a file and from options, which override the file. */
final class ServeSettings {
    private ServeSettings() {}

    /** @param file may be null */
    static ServerConfig read(Path file, List<String> options) throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        if (file != null) {
            Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(file)) {
                properties.load(reader);
            } catch (IllegalArgumentException e) {
                throw CommandException.usage("--config: " + file + ": " + e.getMessage(), "lines of key=value");
            }
            properties.stringPropertyNames().stream()
                    .sorted()
                    .forEach(key -> settings.put(key, properties.getProperty(key)));
            RootCommand.argument("--config " + file, "", text -> ServerConfig.fromMap(settings));
        }
        for (String option : options) {
            int equals = option.indexOf('=');
            if (equals < 1) {
                throw CommandException.usage("--set: \"" + option + "\" is not KEY=VALUE", "--set num.partitions=6");
            }
            settings.put(option.substring(0, equals), option.substring(equals + 1));
        }
        return RootCommand.argument("--set", "", text -> ServerConfig.fromMap(settings));
    }
}
