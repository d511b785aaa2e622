package dev.muster.core.group.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A membership that ended. The last ones are remembered, so that who comes late is told why it is out.
 *
 * @param cause empty: a newer membership took over its instance id
 * @param generation in which it ended
 * @param missing set of one that was expelled for want of a connection and was not heard of since: it may live
 */
public record FormerMember(
        MemberId id, Optional<String> instance, Optional<LeaveCause> cause, long generation, Optional<Origin> missing) {
    /** More are forgotten, the oldest first; then a late one is only told that it is unknown. */
    public static final int REMEMBERED_MAX = 200;

    /** One whose place another has. */
    public static FormerMember replaced(MemberId id, Optional<String> instance, long generation) {
        return new FormerMember(id, instance, Optional.empty(), generation, Optional.empty());
    }

    /** @param origin of a remote one */
    public static FormerMember out(
            MemberId id, Optional<String> instance, LeaveCause cause, long generation, Optional<Origin> origin) {
        return new FormerMember(
                id,
                instance,
                Optional.of(cause),
                generation,
                origin.filter(any -> cause == LeaveCause.CONNECTION_LOST));
    }

    public static List<FormerMember> add(List<FormerMember> all, FormerMember one) {
        List<FormerMember> more = new ArrayList<>(all.size() + 1);
        more.addAll(all.size() < REMEMBERED_MAX ? all : all.subList(1, all.size()));
        more.add(one);
        return List.copyOf(more);
    }

    public static Optional<FormerMember> find(List<FormerMember> all, MemberId id) {
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).id.equals(id)) {
                return Optional.of(all.get(i));
            }
        }
        return Optional.empty();
    }

    /** One was heard of, and is missing no more. */
    public static List<FormerMember> withoutMissing(List<FormerMember> all, FormerMember one) {
        FormerMember now = new FormerMember(one.id, one.instance, one.cause, one.generation, Optional.empty());
        return all.stream().map(each -> each.equals(one) ? now : each).toList();
    }
}
