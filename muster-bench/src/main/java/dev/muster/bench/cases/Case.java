package dev.muster.bench.cases;

import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import java.util.List;
import java.util.stream.Stream;

/** One comparison: starts its turns, and returns the results. */
public interface Case {
    String SERVERS = "kafka";

    String name();

    List<Outcome> run(Options options) throws Exception;

    /** The number of turns of each contestant, unless the user gives another one. */
    default int repetitions() {
        return 5;
    }

    /** The cases with queues in a directory, which run by default. */
    static List<Case> queues() {
        return List.of(new AppendCase(), new ManyCase(), new WakeCase(), new CommitCase());
    }

    /** The cases with servers, which need Kafka to be downloaded. */
    static List<Case> servers() {
        return List.of(
                new KafkaStartCase(),
                new KafkaThroughputCase(),
                new KafkaLatencyCase(),
                new KafkaGroupsCase(),
                new KafkaCommitsCase(),
                new KafkaPartitionsCase(),
                new KafkaRestartCase());
    }

    static List<String> names() {
        return Stream.of(
                        queues().stream().map(Case::name),
                        Stream.of(SERVERS),
                        servers().stream().map(Case::name))
                .flatMap(it -> it)
                .toList();
    }

    /** The cases with these names; {@code kafka} means all cases with servers. */
    static List<Case> named(List<String> names) {
        return names.stream()
                .flatMap(name -> name.equals(SERVERS) ? servers().stream() : Stream.of(named(name)))
                .toList();
    }

    private static Case named(String name) {
        return Stream.concat(queues().stream(), servers().stream())
                .filter(it -> it.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no case named " + name + "; there are " + String.join(", ", names())));
    }

    /** The contestants in the order of their turns: each repetition begins with another one. */
    static <T> List<T> turns(List<T> contestants, int repetition) {
        int first = repetition % contestants.size();
        return Stream.concat(
                        contestants.stream().skip(first), contestants.stream().limit(first))
                .toList();
    }
}
