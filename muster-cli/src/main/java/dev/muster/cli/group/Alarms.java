package dev.muster.cli.group;

import dev.muster.cli.text.Moments;
import dev.muster.core.group.model.FalseAlarm;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Members that were expelled because their connection was gone, and were alive: as sentences and objects. */
final class Alarms {
    private Alarms() {}

    /** {@code app (app-1f) was alive and came back at 2026-…}. */
    static String text(FalseAlarm alarm, ZoneId zone) {
        return who(alarm) + " was alive and came back at " + Moments.show(alarm.at(), zone);
    }

    static String who(FalseAlarm alarm) {
        String id = alarm.member().value();
        return Names.printable(alarm.label().equals(id) ? id : alarm.label() + " (" + id + ")");
    }

    static List<Map<String, Object>> objects(List<FalseAlarm> alarms) {
        return alarms.stream().map(Alarms::object).toList();
    }

    private static Map<String, Object> object(FalseAlarm alarm) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("memberId", alarm.member().value());
        object.put("clientId", alarm.origin().client());
        object.put("host", alarm.origin().address());
        object.put("generation", alarm.replacedBy());
        object.put("at", alarm.at());
        return object;
    }
}
