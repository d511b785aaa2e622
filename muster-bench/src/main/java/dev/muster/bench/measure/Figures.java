package dev.muster.bench.measure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The figures of one case: for each contestant its values by name, one for each repetition. */
public final class Figures {
    private final String title;
    private final Map<String, Map<String, List<Double>>> rows = new LinkedHashMap<>();

    public Figures(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    public void add(String contestant, String name, double value) {
        rows.computeIfAbsent(contestant, _ -> new LinkedHashMap<>())
                .computeIfAbsent(name, _ -> new ArrayList<>())
                .add(value);
    }

    /** Adds figures of a turn under their own names. */
    public void add(String contestant, Parameters result, List<String> names) {
        names.forEach(name -> add(contestant, name, result.number(name)));
    }

    /** Sets the order of the rows, independent of the order of turns. */
    public void order(List<String> contestants) {
        contestants.forEach(contestant -> rows.computeIfAbsent(contestant, _ -> new LinkedHashMap<>()));
    }

    public Samples of(String contestant, String name) {
        return new Samples(rows.get(contestant).get(name).stream()
                .mapToDouble(Double::doubleValue)
                .toArray());
    }

    public boolean has(String contestant, String name) {
        return rows.getOrDefault(contestant, Map.of()).containsKey(name);
    }

    public List<String> contestants() {
        return List.copyOf(rows.keySet());
    }

    public List<String> names() {
        Set<String> names = new LinkedHashSet<>();
        rows.values().forEach(row -> names.addAll(row.keySet()));
        return List.copyOf(names);
    }
}
