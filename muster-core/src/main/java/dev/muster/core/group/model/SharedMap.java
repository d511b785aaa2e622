package dev.muster.core.group.model;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.BiPredicate;

/**
 * A sorted map that never changes. {@link #with} and {@link #without} return another map in O(log n). It shares all
 * nodes with this one, except those on the path to the change: so a commit does not copy the offsets of a thousand
 * partitions.
 *
 * <p>The map is a tree balanced by weight: no side of a node is more than {@link #LOPSIDED} times the other.
 */
@SuppressWarnings("JdkObsolete") // a NavigableMap would have twice as many methods, all of them unused
public final class SharedMap<K extends Comparable<? super K>, V> extends AbstractMap<K, V> implements SortedMap<K, V> {
    private static final SharedMap<?, ?> EMPTY = new SharedMap<>(null);

    /** With this factor and the next one, one rotation, single or double, is always enough. */
    private static final int LOPSIDED = 3;

    private static final int DOUBLE_ROTATION = 2;

    private record Node<K, V>(K key, V value, Node<K, V> left, Node<K, V> right, int size) {}

    private final Node<K, V> root;

    private SharedMap(Node<K, V> root) {
        this.root = root;
    }

    @SuppressWarnings("unchecked") // the empty map has no element of a wrong type
    public static <K extends Comparable<? super K>, V> SharedMap<K, V> empty() {
        return (SharedMap<K, V>) EMPTY;
    }

    public static <K extends Comparable<? super K>, V> SharedMap<K, V> copyOf(SortedMap<K, V> map) {
        if (map instanceof SharedMap<K, V> shared) {
            return shared;
        }
        return ofSorted(new ArrayList<>(map.entrySet()));
    }

    private static <K extends Comparable<? super K>, V> SharedMap<K, V> ofSorted(List<Map.Entry<K, V>> entries) {
        return new SharedMap<>(build(entries, 0, entries.size()));
    }

    private static <K, V> Node<K, V> build(List<Map.Entry<K, V>> entries, int from, int to) {
        if (from == to) {
            return null;
        }
        int middle = (from + to) >>> 1;
        Map.Entry<K, V> entry = entries.get(middle);
        return node(entry.getKey(), entry.getValue(), build(entries, from, middle), build(entries, middle + 1, to));
    }

    public SharedMap<K, V> with(K key, V value) {
        return new SharedMap<>(insert(root, key, value));
    }

    public SharedMap<K, V> without(K key) {
        return containsKey(key) ? new SharedMap<>(delete(root, key)) : this;
    }

    public SharedMap<K, V> filter(BiPredicate<K, V> keep) {
        List<Map.Entry<K, V>> kept = new ArrayList<>();
        entrySet().forEach(entry -> {
            if (keep.test(entry.getKey(), entry.getValue())) {
                kept.add(entry);
            }
        });
        return kept.size() == size() ? this : ofSorted(kept);
    }

    // Reading

    @Override
    public int size() {
        return size(root);
    }

    @Override
    public V get(Object key) {
        Node<K, V> found = find(key);
        return found == null ? null : found.value;
    }

    @Override
    public boolean containsKey(Object key) {
        return find(key) != null;
    }

    @SuppressWarnings("unchecked") // as in TreeMap: a key of another type is the caller's mistake
    private Node<K, V> find(Object key) {
        K wanted = (K) key;
        Node<K, V> node = root;
        while (node != null) {
            int order = wanted.compareTo(node.key);
            if (order == 0) {
                return node;
            }
            node = order < 0 ? node.left : node.right;
        }
        return null;
    }

    @Override
    public Set<Map.Entry<K, V>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Map.Entry<K, V>> iterator() {
                return new InOrder<>(root);
            }

            @Override
            public int size() {
                return SharedMap.this.size();
            }
        };
    }

    @Override
    public Comparator<? super K> comparator() {
        return null;
    }

    @Override
    public SortedMap<K, V> subMap(K from, K to) {
        return filter((key, value) -> key.compareTo(from) >= 0 && key.compareTo(to) < 0);
    }

    @Override
    public SortedMap<K, V> headMap(K to) {
        return filter((key, value) -> key.compareTo(to) < 0);
    }

    @Override
    public SortedMap<K, V> tailMap(K from) {
        return filter((key, value) -> key.compareTo(from) >= 0);
    }

    @Override
    public K firstKey() {
        Node<K, V> node = nonEmptyRoot();
        while (node.left != null) {
            node = node.left;
        }
        return node.key;
    }

    @Override
    public K lastKey() {
        Node<K, V> node = nonEmptyRoot();
        while (node.right != null) {
            node = node.right;
        }
        return node.key;
    }

    private Node<K, V> nonEmptyRoot() {
        if (root == null) {
            throw new NoSuchElementException("the map is empty");
        }
        return root;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SharedMap<?, ?> shared && shared.root == root || super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }

    // The tree

    private static int size(Node<?, ?> node) {
        return node == null ? 0 : node.size;
    }

    private static <K, V> Node<K, V> node(K key, V value, Node<K, V> left, Node<K, V> right) {
        return new Node<>(key, value, left, right, size(left) + size(right) + 1);
    }

    private static <K extends Comparable<? super K>, V> Node<K, V> insert(Node<K, V> node, K key, V value) {
        if (node == null) {
            return node(key, value, null, null);
        }
        int order = key.compareTo(node.key);
        if (order == 0) {
            return new Node<>(key, value, node.left, node.right, node.size);
        }
        return order < 0
                ? balance(node.key, node.value, insert(node.left, key, value), node.right)
                : balance(node.key, node.value, node.left, insert(node.right, key, value));
    }

    private static <K extends Comparable<? super K>, V> Node<K, V> delete(Node<K, V> node, K key) {
        int order = key.compareTo(node.key);
        if (order < 0) {
            return balance(node.key, node.value, delete(node.left, key), node.right);
        }
        if (order > 0) {
            return balance(node.key, node.value, node.left, delete(node.right, key));
        }
        if (node.left == null) {
            return node.right;
        }
        if (node.right == null) {
            return node.left;
        }
        Node<K, V> next = node.right;
        while (next.left != null) {
            next = next.left;
        }
        return balance(next.key, next.value, node.left, delete(node.right, next.key));
    }

    private static <K, V> Node<K, V> balance(K key, V value, Node<K, V> left, Node<K, V> right) {
        if (size(left) + size(right) <= 1) {
            return node(key, value, left, right);
        }
        if (size(right) > LOPSIDED * size(left)) {
            Node<K, V> inner = right.left;
            if (size(inner) < DOUBLE_ROTATION * size(right.right)) {
                return node(right.key, right.value, node(key, value, left, inner), right.right);
            }
            Node<K, V> outer = node(right.key, right.value, inner.right, right.right);
            return node(inner.key, inner.value, node(key, value, left, inner.left), outer);
        }
        if (size(left) > LOPSIDED * size(right)) {
            Node<K, V> inner = left.right;
            if (size(inner) < DOUBLE_ROTATION * size(left.left)) {
                return node(left.key, left.value, left.left, node(key, value, inner, right));
            }
            Node<K, V> outer = node(left.key, left.value, left.left, inner.left);
            return node(inner.key, inner.value, outer, node(key, value, inner.right, right));
        }
        return node(key, value, left, right);
    }

    private static final class InOrder<K, V> implements Iterator<Map.Entry<K, V>> {
        private final ArrayDeque<Node<K, V>> path = new ArrayDeque<>();

        InOrder(Node<K, V> root) {
            descend(root);
        }

        private void descend(Node<K, V> from) {
            for (Node<K, V> node = from; node != null; node = node.left) {
                path.push(node);
            }
        }

        @Override
        public boolean hasNext() {
            return !path.isEmpty();
        }

        @Override
        public Map.Entry<K, V> next() {
            Node<K, V> node = path.pop();
            descend(node.right);
            return Map.entry(node.key, node.value);
        }
    }
}
