package dev.muster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** Late commits in the referee's books. */
class BooksTest {
    private final Books books = new Books(anyRules());
    private long version;

    @Test
    void lateCommitsDoNotLowerTheReachedOffset() {
        joins("a");
        grants("a");
        commits("a", 4);
        commits("a", 1);
        commits("a", 2);

        assertThat(books.offsets).containsEntry("orders:2", 2L);
        assertThat(books.reached("orders:2")).isEqualTo(4);
    }

    @Test
    void aNewOwnersReachedOffsetIsItsCommit() {
        joins("a");
        joins("b");
        grants("a");
        commits("a", 4);
        event("{\"event\":\"released\",\"member\":\"a\",\"partitions\":{\"orders\":\"2\"}}");
        grants("b");
        assertThat(books.reached("orders:2")).isZero();

        commits("b", 3);

        assertThat(books.reached("orders:2")).isEqualTo(3);
    }

    @Test
    void aResetDropsTheReachedOffset() {
        joins("a");
        grants("a");
        commits("a", 4);
        event("{\"event\":\"reset\",\"offsets\":{\"orders\":{\"2\":1}}}");

        assertThat(books.reached("orders:2")).isZero();
    }

    private void joins(String member) {
        event("{\"event\":\"joined\",\"member\":{\"id\":\"" + member + "\",\"host\":\"h\"}}");
    }

    private void grants(String member) {
        event("{\"event\":\"granted\",\"member\":\"" + member + "\",\"partitions\":{\"orders\":\"2\"}}");
    }

    private void commits(String member, long offset) {
        event("{\"event\":\"committed\",\"member\":\"" + member + "\",\"offsets\":{\"orders\":{\"2\":" + offset
                + "}}}");
    }

    private void event(String event) {
        books.apply(version++, "{\"events\":[" + event + "]}", version);
    }

    /** Rules that no event breaks. */
    private static Books.Rules anyRules() {
        return (Books.Rules) Proxy.newProxyInstance(
                BooksTest.class.getClassLoader(), new Class<?>[] {Books.Rules.class}, (_, _, _) -> null);
    }
}
