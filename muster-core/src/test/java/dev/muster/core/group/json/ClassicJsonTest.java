package dev.muster.core.group.json;

import static dev.muster.core.group.GroupFixture.id;
import static dev.muster.core.group.GroupFixture.offsets;
import static dev.muster.core.group.GroupFixture.partitions;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MusterException;
import dev.muster.core.TopicName;
import dev.muster.core.group.Group;
import dev.muster.core.group.GroupFixture;
import dev.muster.core.group.classic.ClassicEvent;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Protocol;
import dev.muster.core.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The journal lines of classic groups. They are on disks, so a change here is a change of the format. */
class ClassicJsonTest {
    private static final ClassicSpec SPEC = new ClassicSpec(
            id("A"),
            Optional.of("east"),
            "app",
            "/10.0.0.7",
            GroupFixture.HOST,
            Duration.ofSeconds(45),
            Duration.ofMinutes(5),
            "consumer",
            List.of(new Protocol("range", Opaque.of(new byte[] {0, 1, -1}))),
            Optional.of(
                    new ConsumerMetadata(new TreeSet<>(List.of(new TopicName("orders"))), partitions("orders", 0, 1))));
    private static final String SPEC_JSON = "{'id':'A','instance':'east','client':'app','address':'/10.0.0.7',"
            + "'host':'h1','session':'PT45S','rebalance':'PT5M','type':'consumer',"
            + "'protocols':[{'name':'range','metadata':'AAH/'}],'topics':['orders'],'owned':{'orders':'0-1'}}";

    @Test
    void oldAwayLinesWithoutACauseAreRead() {
        assertThat(EventJson.read(Json.parse("{\"event\":\"classic-away\",\"member\":\"A\"}")))
                .isEqualTo(new Event.Classic(new ClassicEvent.Away(id("A"), LeaveCause.PROCESS_DIED)));
    }

    private static void written(ClassicEvent event, String json) {
        String line = GroupJson.entry(new Entry(5, GroupFixture.HOST, List.of(new Event.Classic(event))));
        assertThat(line).isEqualTo("{\"v\":1,\"at\":5,\"by\":\"h1\",\"events\":[" + json.replace('\'', '"') + "]}");
        assertThat(EventJson.read(Json.parse(json.replace('\'', '"')))).isEqualTo(new Event.Classic(event));
    }

    @Test
    void everyEventIsWrittenAsTheExpectedJson() {
        Duration five = Duration.ofMinutes(5);
        written(
                new ClassicEvent.IdGiven(id("A"), Duration.ofSeconds(45)),
                "{'event':'classic-id','member':'A','session':'PT45S'}");
        written(new ClassicEvent.IdDropped(id("A")), "{'event':'classic-id-dropped','member':'A'}");
        written(
                new ClassicEvent.Joined(SPEC, "joined"),
                "{'event':'classic-joined','member':" + SPEC_JSON + ",'what':'joined'}");
        written(
                new ClassicEvent.Rejoined(id("A"), Optional.empty(), Optional.empty()),
                "{'event':'classic-rejoined','member':'A'}");
        written(
                new ClassicEvent.Rejoined(id("A"), Optional.of(SPEC), Optional.of("changed its metadata")),
                "{'event':'classic-rejoined','member':'A','spec':" + SPEC_JSON + ",'why':'changed its metadata'}");
        written(
                new ClassicEvent.Replaced(id("B"), SPEC, true, Optional.of("came back")),
                "{'event':'classic-replaced','old':'B','member':" + SPEC_JSON + ",'waiting':true,'why':'came back'}");
        written(
                new ClassicEvent.RebalanceBegan(Duration.ofMillis(50), Optional.of(Duration.ofSeconds(3))),
                "{'event':'classic-rebalance','after':'PT0.05S','atMost':'PT3S'}");
        written(new ClassicEvent.RebalanceExtended(five), "{'event':'classic-extended','after':'PT5M'}");
        written(
                new ClassicEvent.GenerationFormed(7, Optional.of("range"), Optional.of(id("A")), "B joined", five),
                "{'event':'classic-generation','generation':7,'protocol':'range','leader':'A','cause':'B joined',"
                        + "'after':'PT5M'}");
        written(
                new ClassicEvent.GenerationFormed(8, Optional.empty(), Optional.empty(), "A left", Duration.ZERO),
                "{'event':'classic-generation','generation':8,'cause':'A left','after':'PT0S'}");
        written(
                new ClassicEvent.Assigned(
                        7,
                        new TreeMap<>(Map.of(id("A"), Opaque.of(new byte[] {1}))),
                        new TreeMap<>(Map.of(id("A"), partitions("orders", 0, 1, 2))),
                        true),
                "{'event':'classic-assigned','generation':7,'assignment':{'A':'AQ=='},"
                        + "'partitions':{'A':{'orders':'0-2'}},'plain':true}");
        written(new ClassicEvent.Synced(id("A")), "{'event':'classic-synced','member':'A'}");
        written(
                new ClassicEvent.Left(id("A"), LeaveCause.REBALANCE_TIMED_OUT, "bye"),
                "{'event':'classic-left','member':'A','cause':'REBALANCE_TIMED_OUT','reason':'bye'}");
        written(
                new ClassicEvent.Away(id("A"), LeaveCause.PROCESS_DIED),
                "{'event':'classic-away','member':'A','cause':'PROCESS_DIED'}");
        written(
                new ClassicEvent.Adopted(id("A"), new HostId("h2")),
                "{'event':'classic-adopted','member':'A','host':'h2'}");
        written(
                new ClassicEvent.Committed(Optional.of(id("A")), offsets("orders", 0, 5)),
                "{'event':'classic-committed','member':'A','offsets':{'orders':{'0':5}}}");
        written(
                new ClassicEvent.Committed(Optional.empty(), offsets("orders", 0, 5)),
                "{'event':'classic-committed','offsets':{'orders':{'0':5}}}");
    }

    @Test
    void invalidClassicEventsAreRefused() {
        String line = "{\"v\":1,\"at\":5,\"by\":\"h1\",\"events\":[{\"event\":\"classic-danced\",\"member\":\"A\"}]}";
        assertThatThrownBy(() -> GroupJson.replay(Group.empty(), line))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("classic-danced");
        String bytes = "{\"v\":1,\"at\":5,\"by\":\"h1\",\"events\":[{\"event\":\"classic-assigned\",\"generation\":1,"
                + "\"assignment\":{\"A\":\"?\"},\"partitions\":{}}]}";
        assertThatThrownBy(() -> GroupJson.replay(Group.empty(), bytes)).isInstanceOf(MusterException.class);
    }

    @Test
    void aSnapshotOfANeverClassicGroupHasNoClassicPart() {
        assertThat(GroupJson.snapshot(Group.empty(), 5, GroupFixture.HOST)).doesNotContain("classic");
    }
}
