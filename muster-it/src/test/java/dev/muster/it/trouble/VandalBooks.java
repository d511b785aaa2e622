package dev.muster.it.trouble;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The output of the load's processes. Safe for many threads. */
final class VandalBooks {
    /** The place of a record. */
    record Place(String topic, int partition, long offset) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int order = topic.compareTo(other.topic);
            order = order != 0 ? order : Integer.compare(partition, other.partition);
            return order != 0 ? order : Long.compare(offset, other.offset);
        }
    }

    /** The topic whose segments are spared. */
    private static final String KEPT = "kept";

    private final Map<Place, String> acknowledged = new TreeMap<>();
    private final Map<String, Set<Place>> delivered = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();
    private final Map<String, Integer> troubles = new TreeMap<>();
    private long records;
    private long generation;

    synchronized void note(String process, String line) {
        String[] words = line.split(" ");
        switch (words[0]) {
            case "acked" -> {
                Place place = place(words);
                String before = acknowledged.put(place, words[4]);
                // Topics with damaged segments have no guarantee: their offsets may be used again.
                if (before != null && place.topic().equals(KEPT)) {
                    faults.add(process + ": " + place + " acknowledged twice: " + before + " and " + words[4]);
                }
                records++;
            }
            case "got" ->
                delivered.computeIfAbsent(process, _ -> new HashSet<>()).add(place(words));
            case "generation" -> generation = Math.max(generation, Long.parseLong(words[1]));
            case "read" -> {}
            case "trouble" -> troubles.merge(process + " " + line, 1, Integer::sum);
            default -> faults.add(process + ": " + line);
        }
    }

    private static Place place(String[] words) {
        return new Place(words[1], Integer.parseInt(words[2]), Long.parseLong(words[3]));
    }

    synchronized long records() {
        return records;
    }

    synchronized long generation() {
        return generation;
    }

    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    synchronized Map<String, Integer> troubles() {
        return new TreeMap<>(troubles);
    }

    synchronized Map<Place, String> acknowledged(String topic) {
        Map<Place, String> found = new TreeMap<>();
        acknowledged.forEach((place, id) -> {
            if (place.topic().equals(topic)) {
                found.put(place, id);
            }
        });
        return found;
    }

    synchronized Set<Place> delivered(Collection<String> processes) {
        Set<Place> all = new HashSet<>();
        processes.forEach(process -> all.addAll(delivered.getOrDefault(process, Set.of())));
        return all;
    }
}
