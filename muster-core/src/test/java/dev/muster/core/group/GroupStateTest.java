package dev.muster.core.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.Forming;
import dev.muster.core.group.model.SharedMap;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GroupStateTest {
    /** A part that the comparison forgets would lose the wake-ups of its changes. */
    @Test
    void everyPartButTheOffsetsCountsAsAChange() throws ReflectiveOperationException {
        RecordComponent[] parts = GroupState.class.getRecordComponents();
        List<String> ignored = new ArrayList<>();
        for (int i = 0; i < parts.length; i++) {
            if (changed(i).differsOnlyInOffsets(GroupState.EMPTY)) {
                ignored.add(parts[i].getName());
            }
        }
        assertThat(ignored).containsExactly("offsets");
        assertThat(GroupState.EMPTY.differsOnlyInOffsets(GroupState.EMPTY)).isTrue();
    }

    private static GroupState changed(int index) throws ReflectiveOperationException {
        RecordComponent[] parts = GroupState.class.getRecordComponents();
        Object[] values = new Object[parts.length];
        for (int i = 0; i < parts.length; i++) {
            Object value = parts[i].getAccessor().invoke(GroupState.EMPTY);
            values[i] = i == index ? another(parts[i], value) : value;
        }
        Class<?>[] types = Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Constructor<GroupState> constructor = GroupState.class.getDeclaredConstructor(types);
        return constructor.newInstance(values);
    }

    private static Object another(RecordComponent part, Object value) throws ReflectiveOperationException {
        return switch (value) {
            case Long number -> number + 1;
            case Boolean flag -> !flag;
            case SharedMap<?, ?> _ ->
                SharedMap.<TopicPartition, Commit>empty()
                        .with(TopicPartition.of("orders", 0), new Commit(new CommittedOffset(1), 0, Optional.empty()));
            case List<?> _ -> new ArrayList<>();
            case Optional<?> _ ->
                Optional.of(
                        part.getName().equals("expectation")
                                ? new Expectation(2, Duration.ofSeconds(1))
                                : new Forming(new Expectation(2, Duration.ofSeconds(1)), 1, 0));
            default -> copy(value);
        };
    }

    /** An equal record that is another object. */
    private static Object copy(Object value) throws ReflectiveOperationException {
        RecordComponent[] parts = value.getClass().getRecordComponents();
        Object[] values = new Object[parts.length];
        for (int i = 0; i < parts.length; i++) {
            parts[i].getAccessor().setAccessible(true);
            values[i] = parts[i].getAccessor().invoke(value);
        }
        Class<?>[] types = Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Constructor<?> constructor = value.getClass().getDeclaredConstructor(types);
        constructor.setAccessible(true);
        return constructor.newInstance(values);
    }
}
