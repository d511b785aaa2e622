package dev.muster.cli.topic;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.RootCommand;
import dev.muster.core.TopicSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The option {@code --set key=value}, which may be repeated. */
final class SettingOptions {
    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "A setting, spelled as Kafka does (retention.ms, muster.sync, …); may be repeated.")
    private List<String> settings = List.of();

    /** The settings. Each is valid by itself. */
    Map<String, String> map() {
        Map<String, String> map = new LinkedHashMap<>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            if (equals < 1) {
                throw CommandException.usage(
                        "--set: \"" + setting + "\" is not KEY=VALUE", "--set retention.ms=86400000");
            }
            map.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return map;
    }

    /** The settings over the defaults. */
    TopicSettings overDefaults() {
        Map<String, String> map = map();
        return RootCommand.argument("--set", String.join(" ", settings), text -> TopicSettings.fromMap(map));
    }
}
