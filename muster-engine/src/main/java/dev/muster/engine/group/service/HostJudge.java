package dev.muster.engine.group.service;

import dev.muster.core.group.command.Command;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.engine.group.replica.ScheduledProposal;
import dev.muster.engine.group.replica.ScheduledProposals;
import dev.muster.engine.group.service.MemberHosts.Place;
import java.util.OptionalLong;

/**
 * Proposes the death of processes that the kernel reports as dead, and the expulsion of members whose processes were
 * silent for a whole session. For the thread of the service alone.
 */
final class HostJudge {
    private final MemberHosts hosts;
    private final ScheduledProposals proposals;

    HostJudge(MemberHosts hosts, ScheduledProposals proposals) {
        this.hosts = hosts;
        this.proposals = proposals;
    }

    void judge(HostWatch others, long now) {
        proposals.removeIf(reason -> switch (reason) {
            case Command.HostDied(var host, var _) -> !hosts.all().contains(host);
            case Command.SessionExpired(var id, var host, var _, var _) ->
                hosts.places().stream()
                        .noneMatch(place ->
                                place.member().equals(id) && place.host().equals(host) && isSilent(place, others, now));
            default -> false;
        });
        for (HostId host : hosts.all()) {
            if (!hosts.isSelf(host) && others.gone(host)) {
                proposals.addIfAbsent(
                        new Command.HostDied(host),
                        () -> new ScheduledProposal(
                                now + hosts.wait(host), _ -> new Command.HostDied(host, others.lastSign(host))));
            }
        }
        for (Place place : hosts.places()) {
            HostId host = place.host();
            if (!hosts.isSelf(host) && isSilent(place, others, now)) {
                OptionalLong beats = others.beats(host);
                proposals.addIfAbsent(
                        new Command.SessionExpired(place.member(), host, LeaveCause.SESSION_EXPIRED),
                        () -> new ScheduledProposal(
                                now + hosts.wait(host),
                                _ -> others.beats(host).equals(beats) ? expired(place, others) : null));
            }
        }
    }

    private static Command expired(Place place, HostWatch others) {
        return new Command.SessionExpired(
                place.member(), place.host(), LeaveCause.SESSION_EXPIRED, others.lastSign(place.host()));
    }

    private static boolean isSilent(Place place, HostWatch others, long now) {
        return others.silence(place.host(), now) >= place.sessionNanos();
    }
}
