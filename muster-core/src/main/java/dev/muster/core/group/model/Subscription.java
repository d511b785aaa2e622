package dev.muster.core.group.model;

import dev.muster.core.TopicName;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.PatternSyntaxException;

/**
 * What a member wants to read: topics by name, whether they exist yet or not, and those whose whole name matches a
 * pattern. Nothing at all is possible too.
 *
 * @param pattern a regular expression, checked
 */
public record Subscription(SortedSet<TopicName> topics, Optional<String> pattern) {
    /** @throws PatternSyntaxException when the pattern is none */
    public Subscription {
        topics = Collections.unmodifiableSortedSet(new TreeSet<>(topics));
        pattern.ifPresent(TopicPattern::new);
    }

    /** Whether it is about this topic. */
    public boolean includes(TopicName topic) {
        return topics.contains(topic) || pattern.isPresent() && new TopicPattern(pattern.get()).matches(topic);
    }

    /** Those of some topics that it is about. */
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
