package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.bench.cases.Case;
import dev.muster.bench.measure.Options;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class BenchArgumentsTest {
    private static BenchArguments parse(String... args) {
        return BenchArguments.parse(args);
    }

    @Test
    void withoutArgumentsAllQueueCasesRunFiveTimes() {
        assertThat(parse().cases()).extracting(Case::name).containsExactly("append", "many", "wake", "commit");
        assertThat(parse().options().repetitions()).isEqualTo(5);
    }

    @Test
    void quickMeansOneRepetitionUnlessRepsIsGiven() {
        assertThat(parse("--quick").options().repetitions()).isEqualTo(1);
        assertThat(parse("--quick", "--reps", "3").options().repetitions()).isEqualTo(3);
    }

    @Test
    void kafkaMeansAllServerCasesWithThreeRepetitions() {
        assertThat(parse("--cases", "kafka").cases())
                .extracting(Case::name)
                .allMatch(name -> name.startsWith("kafka-"))
                .contains("kafka-start", "kafka-restart");
        assertThat(parse("--cases", "kafka").options().repetitions()).isEqualTo(3);
        assertThat(parse("--cases", "kafka-start,append").cases())
                .extracting(Case::name)
                .containsExactly("kafka-start", "append");
    }

    @Test
    void quickMeansASmallRestartLogUnlessLogMibIsGiven() {
        assertThat(parse().options().logMib()).isEqualTo(1024);
        assertThat(parse("--quick").options().logMib()).isEqualTo(128);
        assertThat(parse("--quick", "--log-mib", "5").options().logMib()).isEqualTo(5);
    }

    @Test
    void casesRunInTheOrderTheyAreNamed() {
        assertThat(parse("--cases", "wake,append").cases())
                .extracting(Case::name)
                .containsExactly("wake", "append");
    }

    @Test
    void unknownArgumentsAreRefused() {
        assertThatThrownBy(() -> parse("--fast")).hasMessageContaining("--fast");
        assertThatThrownBy(() -> parse("--cases", "apend"))
                .hasMessageContaining("apend")
                .hasMessageContaining("append");
        assertThatThrownBy(() -> parse("-o", "xml")).hasMessageContaining("xml");
        assertThatThrownBy(() -> parse("--dir")).hasMessageContaining("needs a value");
    }

    @Test
    void takesTheDirectoryAndTheSeed() {
        Options options = parse("--dir", "there", "--seed", "42").options();
        assertThat(options.directory()).isEqualTo(Path.of("there"));
        assertThat(options.seed()).isEqualTo(42);
    }
}
