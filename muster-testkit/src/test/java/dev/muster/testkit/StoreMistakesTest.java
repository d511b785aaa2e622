package dev.muster.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.muster.store.LogStore;
import dev.muster.store.memory.MemoryStore;
import dev.muster.testkit.unpleasant.StoreMistake;
import dev.muster.testkit.unpleasant.Trouble;
import dev.muster.testkit.unpleasant.UnpleasantStore;
import dev.muster.testkit.unpleasant.Writers;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Each promise of the contract has a test that notices a store that breaks it. The tests of senders in the engine
 * notice the broken promises that show only with failures.
 */
class StoreMistakesTest {
    private static final Set<StoreMistake> OF_FAILURES =
            EnumSet.of(StoreMistake.UNKNOWN_REPORTED_AS_NO_EFFECT, StoreMistake.LATE_BATCH_AFTER_OPENING);

    /** The contract with a store that makes a mistake. */
    private static final class Contract implements LogStoreContract, GroupStoreContract {
        private final Writers writers = new Writers();
        private final StoreMistake mistake;
        private MemoryStore memory;

        Contract(StoreMistake mistake) {
            this.mistake = mistake;
        }

        @Override
        public LogStore open() {
            memory = new MemoryStore();
            return store(memory, 1);
        }

        @Override
        public LogStore openBeside(LogStore first) {
            return store(memory.anotherHost(), 2);
        }

        private LogStore store(MemoryStore target, int number) {
            Trouble trouble = Trouble.withoutFailures(number).withMistake(mistake);
            return new UnpleasantStore(target, trouble, writers, "p" + number);
        }

        @Override
        public boolean durable() {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"UNKNOWN_REPORTED_AS_NO_EFFECT", "LATE_BATCH_AFTER_OPENING"})
    void aContractTestNoticesTheMistake(StoreMistake mistake) {
        Contract contract = new Contract(mistake);
        Map<StoreMistake, ThrowingCallable> tests = Map.of(
                StoreMistake.CONDITION_IGNORED, contract::aConditionalAppendIsWrittenOnlyAtTheEnd,
                StoreMistake.PLACE_REPORTED_EARLY, contract::anAppendReportsItsPlaceAndThenThatItIsDurable,
                StoreMistake.APPENDS_OVERTAKE, contract::appendsOfOneAppenderGetPlacesInTheOrderOfTheCalls,
                StoreMistake.RENEWAL_CONFIRMS_NOTHING, contract::aRenewalConfirmsWhatOtherProcessesAppended,
                StoreMistake.REFRESH_IS_STALE, contract::aRefreshShowsTheRecordsOfOtherProcesses,
                StoreMistake.END_FALLS, contract::aRefreshShowsTheRecordsOfOtherProcesses,
                StoreMistake.LONG_LINE_CUT, contract::aLineAboveTheLimitIsRefusedAndNotWritten,
                StoreMistake.SETTING_ACCEPTED, contract::aReaderSeeksFromAnyOffsetToAnyOther);
        assertThat(catchThrowable(tests.get(mistake)))
                .as("the failure of the contract test")
                .isInstanceOf(AssertionError.class);
        assertThat(catchThrowable(new Contract(null)::aConditionalAppendIsWrittenOnlyAtTheEnd))
                .as("the failure of a store without a mistake")
                .isNull();
    }

    @Test
    void theOtherMistakesShowWithFailuresOnly() {
        assertThat(EnumSet.allOf(StoreMistake.class)).containsAll(OF_FAILURES).hasSize(8 + OF_FAILURES.size());
    }
}
