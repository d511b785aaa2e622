package dev.muster.core.group;

import dev.muster.core.TopicName;
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
        topics = java.util.Collections.unmodifiableSortedSet(new TreeSet<>(topics));
        pattern.ifPresent(Pattern::compile);
        if (topics.isEmpty() && pattern.isEmpty()) {
            throw new IllegalArgumentException("a subscription names a topic or a pattern");
        }
    }
}
