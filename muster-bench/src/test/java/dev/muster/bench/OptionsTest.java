package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.bench.cases.Case;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class OptionsTest {
    private static Options parse(String... args) {
        return Options.parse(args);
    }

    @Test
    void withoutWordsAllCasesRunFiveTimes() {
        assertThat(parse().cases()).extracting(Case::name).containsExactly("append", "many", "wake", "commit");
        assertThat(parse().repetitions()).isEqualTo(5);
    }

    @Test
    void quickMeansOneRepetitionUnlessToldOtherwise() {
        assertThat(parse("--quick").repetitions()).isEqualTo(1);
        assertThat(parse("--quick", "--reps", "3").repetitions()).isEqualTo(3);
    }

    @Test
    void kafkaIsTheNameOfAllCasesWithServersWhichRunThreeTimes() {
        assertThat(parse("--cases", "kafka").cases())
                .extracting(Case::name)
                .allMatch(name -> name.startsWith("kafka-"))
                .contains("kafka-start", "kafka-restart");
        assertThat(parse("--cases", "kafka").repetitions()).isEqualTo(3);
        assertThat(parse("--cases", "kafka-start,append").cases())
                .extracting(Case::name)
                .containsExactly("kafka-start", "append");
    }

    @Test
    void theLogOfARestartIsSmallWhenItIsQuickUnlessToldOtherwise() {
        assertThat(parse().logMib()).isEqualTo(1024);
        assertThat(parse("--quick").logMib()).isEqualTo(128);
        assertThat(parse("--quick", "--log-mib", "5").logMib()).isEqualTo(5);
    }

    @Test
    void casesRunInTheOrderTheyAreNamed() {
        assertThat(parse("--cases", "wake,append").cases())
                .extracting(Case::name)
                .containsExactly("wake", "append");
    }

    @Test
    void whatIsNotKnownIsRefused() {
        assertThatThrownBy(() -> parse("--fast")).hasMessageContaining("--fast");
        assertThatThrownBy(() -> parse("--cases", "apend"))
                .hasMessageContaining("apend")
                .hasMessageContaining("append");
        assertThatThrownBy(() -> parse("-o", "xml")).hasMessageContaining("xml");
        assertThatThrownBy(() -> parse("--dir")).hasMessageContaining("needs a value");
    }

    @Test
    void takesTheDirectoryAndTheSeed() {
        Options options = parse("--dir", "there", "--seed", "42");
        assertThat(options.directory()).isEqualTo(Path.of("there"));
        assertThat(options.seed()).isEqualTo(42);
    }
}
