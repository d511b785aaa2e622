package dev.muster.core.group.model;

import dev.muster.core.TopicName;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A regular expression for topic names. Any client may send one, and some expressions take almost endless time. So the
 * steps are counted: a name that takes too many steps does not match.
 */
public final class TopicPattern {
    private static final int LENGTH_MAX = 1_000;
    private static final int STEPS_MAX = 200_000;

    private final Pattern pattern;

    /** @throws PatternSyntaxException if the text is not a pattern, or is too long */
    public TopicPattern(String text) {
        if (text.length() > LENGTH_MAX) {
            throw new PatternSyntaxException("it is longer than " + LENGTH_MAX + " characters", text, LENGTH_MAX);
        }
        pattern = Pattern.compile(text);
    }

    /** True if the whole name matches. */
    public boolean matches(TopicName topic) {
        try {
            return pattern.matcher(new CountedText(topic.value())).matches();
        } catch (TooManyStepsException | StackOverflowError e) {
            return false;
        }
    }

    @SuppressWarnings("serial") // never leaves this class
    private static final class TooManyStepsException extends RuntimeException {
        TooManyStepsException() {
            super("too many steps", null, false, false);
        }
    }

    private static final class CountedText implements CharSequence {
        private final String text;
        private int steps;

        CountedText(String text) {
            this.text = text;
        }

        @Override
        public char charAt(int index) {
            if (++steps > STEPS_MAX) {
                throw new TooManyStepsException();
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
