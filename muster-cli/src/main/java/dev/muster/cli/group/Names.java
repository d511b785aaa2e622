package dev.muster.cli.group;

import dev.muster.core.MemberId;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.Member;
import dev.muster.embedded.admin.AdminReason;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The names of members in texts: a member's own name if no other member has it, else its id. Remembers members that
 * left.
 */
final class Names {
    private final Map<MemberId, String> names = new HashMap<>();

    Names(Collection<Member> members) {
        add(members);
    }

    void add(Collection<Member> members) {
        Map<String, Integer> uses = new HashMap<>();
        members.forEach(member -> uses.merge(member.spec().client(), 1, Integer::sum));
        for (Member member : members) {
            String client = member.spec().client();
            boolean alone = !client.isEmpty() && uses.get(client) == 1;
            names.put(
                    member.spec().id(),
                    printable(alone ? client : member.spec().id().value()));
        }
    }

    String of(MemberId id) {
        return names.getOrDefault(id, printable(id.value()));
    }

    /** The user of this command, for the history of the group. */
    static AdminReason user() {
        String user = System.getProperty("user.name", "");
        return AdminReason.of(user.isBlank() ? "unknown user" : user);
    }

    /** The name without control characters: names come from clients, and must not control a terminal. */
    static String printable(String name) {
        return name.chars().noneMatch(Character::isISOControl) ? name : name.replaceAll("\\p{Cntrl}", "?");
    }

    static OptionalLong pid(HostId host) {
        return host.pid();
    }

    /** The place of a member: its process on this machine, or the name that its store has for the host. */
    static String host(HostId host) {
        OptionalLong pid = pid(host);
        return pid.isPresent() ? "pid:" + pid.getAsLong() : printable(host.value());
    }
}
