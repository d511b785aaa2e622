package dev.muster.bench.cases;

import dev.muster.bench.Options;
import dev.muster.bench.Outcome;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** One comparison: starts its turns, and says what they showed. */
public interface Case {
    String name();

    List<Outcome> run(Options options) throws IOException;

    static List<Case> all() {
        return List.of(new AppendCase(), new ManyCase(), new WakeCase(), new CommitCase());
    }

    static List<String> names() {
        return all().stream().map(Case::name).toList();
    }

    static List<Case> named(List<String> names) {
        return names.stream().map(Case::named).toList();
    }

    private static Case named(String name) {
        return all().stream()
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
