package dev.muster.core.group.model;

import dev.muster.core.TopicName;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.PatternSyntaxException;

/**
 * The topics that a member wants to read: topics by name, whether they exist yet or not, and topics whose whole name
 * matches a pattern. May be empty.
 *
 * @param pattern regular expression, checked
 */
public record Subscription(SortedSet<TopicName> topics, Optional<String> pattern) {
    /** @throws PatternSyntaxException if the pattern is not a regular expression */
    public Subscription {
        topics = Collections.unmodifiableSortedSet(new TreeSet<>(topics));
        pattern.ifPresent(TopicPattern::new);
    }

    /** True if the member wants to read this topic. */
    public boolean includes(TopicName topic) {
        return topics.contains(topic) || pattern.isPresent() && new TopicPattern(pattern.get()).matches(topic);
    }

    /** Those of some topics that the member wants to read. */
    public SortedSet<TopicName> among(Collection<TopicName> some) {
        Optional<TopicPattern> compiled = pattern.map(TopicPattern::new);
        SortedSet<TopicName> found = new TreeSet<>();
        for (TopicName topic : some) {
            if (topics.contains(topic) || compiled.isPresent() && compiled.get().matches(topic)) {
                found.add(topic);
            }
        }
        return Collections.unmodifiableSortedSet(found);
    }
}
