package dev.muster.core.group.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SharedMapTest {
    /** Compares with a TreeMap that gets the same changes, and with all earlier versions, which must stay the same. */
    @Test
    void changesGiveNewMapsAndEarlierOnesStay() {
        long seed = System.nanoTime();
        System.out.println("shared maps: seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 20; round++) {
            int keys = 1 + random.nextInt(200);
            SharedMap<Integer, Integer> map = SharedMap.empty();
            TreeMap<Integer, Integer> model = new TreeMap<>();
            List<SharedMap<Integer, Integer>> versions = new ArrayList<>();
            List<TreeMap<Integer, Integer>> models = new ArrayList<>();
            for (int step = 0; step < 500; step++) {
                int key = random.nextInt(keys);
                if (random.nextInt(3) > 0) {
                    map = map.with(key, step);
                    model.put(key, step);
                } else {
                    map = map.without(key);
                    model.remove(key);
                }
                if (random.nextInt(50) == 0) {
                    versions.add(map);
                    models.add(new TreeMap<>(model));
                }
                same(map, model, random.nextInt(keys), "seed " + seed);
            }
            for (int i = 0; i < versions.size(); i++) {
                assertThat(versions.get(i)).as("seed " + seed).isEqualTo(models.get(i));
            }
        }
    }

    private static void same(SharedMap<Integer, Integer> map, TreeMap<Integer, Integer> model, int key, String where) {
        assertThat(map.size()).as(where).isEqualTo(model.size());
        assertThat(map.get(key)).as(where).isEqualTo(model.get(key));
        assertThat(map.containsKey(key)).as(where).isEqualTo(model.containsKey(key));
        assertThat(new ArrayList<>(map.entrySet())).as(where).isEqualTo(new ArrayList<>(model.entrySet()));
        assertThat(map.hashCode()).as(where).isEqualTo(model.hashCode());
        assertThat(map.headMap(key)).as(where).isEqualTo(model.headMap(key));
        assertThat(map.tailMap(key)).as(where).isEqualTo(model.tailMap(key));
        assertThat(map.subMap(key, key + 5)).as(where).isEqualTo(model.subMap(key, key + 5));
        if (!model.isEmpty()) {
            assertThat(map.firstKey()).as(where).isEqualTo(model.firstKey());
            assertThat(map.lastKey()).as(where).isEqualTo(model.lastKey());
        }
    }

    /** An unbalanced tree with a hundred thousand keys in order would be a list, and this would overflow the stack. */
    @Test
    void keysInsertedInOrderKeepTheTreeBalanced() {
        SharedMap<Integer, Integer> map = SharedMap.empty();
        for (int i = 0; i < 100_000; i++) {
            map = map.with(i, i);
        }
        for (int i = 0; i < 99_990; i++) {
            map = map.without(i);
        }
        assertThat(map.keySet()).hasSize(10).first().isEqualTo(99_990);
    }

    @Test
    void mutatorsAreRefused() {
        SharedMap<Integer, Integer> map = SharedMap.<Integer, Integer>empty().with(1, 1);
        assertThatThrownBy(() -> map.put(2, 2)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.remove(1)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(map::clear).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.entrySet().iterator().next().setValue(2))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> SharedMap.<Integer, Integer>empty().firstKey())
                .isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(() -> SharedMap.<Integer, Integer>empty()
                        .entrySet()
                        .iterator()
                        .next())
                .isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void aCopyOfASharedMapIsItself() {
        SharedMap<Integer, Integer> map = SharedMap.<Integer, Integer>empty().with(1, 1);
        assertThat(SharedMap.copyOf(map)).isSameAs(map);
        assertThat(SharedMap.copyOf(new TreeMap<>(map))).isEqualTo(map);
        assertThat(map.without(2)).isSameAs(map);
        assertThat(map.filter((key, value) -> true)).isSameAs(map);
    }
}
