package dev.muster.core.group;

import dev.muster.core.TopicName;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * What a member wants to read: topics by name, whether they exist yet or not, and those whose whole name matches a
 * pattern.
 *
 * @param pattern a regular expression, checked
 */
public record Subscription(SortedSet<TopicName> topics, Optional<String> pattern) {
    /** @throws PatternSyntaxException when the pattern is none */
    public Subscription {
        topics = Collections.unmodifiableSortedSet(new TreeSet<>(topics));
        pattern.ifPresent(Pattern::compile);
        if (topics.isEmpty() && pattern.isEmpty()) {
            throw new IllegalArgumentException("a subscription names a topic or a pattern");
        }
    }

    /** Whether it is about this topic. */
    public boolean includes(TopicName topic) {
        return topics.contains(topic) || pattern.isPresent() && Pattern.matches(pattern.get(), topic.value());
    }

    /** Those of some topics that it is about. */
    public SortedSet<TopicName> among(Collection<TopicName> some) {
        Optional<Pattern> compiled = pattern.map(Pattern::compile);
        SortedSet<TopicName> found = new TreeSet<>();
        for (TopicName topic : some) {
            if (topics.contains(topic)
                    || compiled.isPresent()
                            && compiled.get().matcher(topic.value()).matches()) {
                found.add(topic);
            }
        }
        return Collections.unmodifiableSortedSet(found);
    }
}
