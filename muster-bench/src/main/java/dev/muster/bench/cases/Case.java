package dev.muster.bench.cases;

import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import java.util.List;
import java.util.stream.Stream;

/** One comparison: starts its turns, and says what they showed. */
public interface Case {
    String SERVERS = "kafka";

    String name();

    List<Outcome> run(Options options) throws Exception;

    /** How often each contestant has its turn, unless the caller says otherwise. */
    default int repetitions() {
        return 5;
    }

    /** Those with queues in a directory, which run when none is named. */
    static List<Case> queues() {
        return List.of(new AppendCase(), new ManyCase(), new WakeCase(), new CommitCase());
    }

    /** Those with servers, which Kafka must be fetched for. */
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

    /** The cases of these names; {@code kafka} is the name of all that have servers. */
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

    /** The contestants in the order of their turns: another one begins in each repetition. */
    static <T> List<T> turns(List<T> contestants, int repetition) {
        int first = repetition % contestants.size();
        return Stream.concat(
                        contestants.stream().skip(first), contestants.stream().limit(first))
                .toList();
    }
}
