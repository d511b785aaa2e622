package dev.muster.kafka.api.groups;

import dev.muster.engine.admin.ServedGroups;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Deletes groups that have no members, with their offsets. */
@Serves(api = ApiKeys.DELETE_GROUPS, from = 0, to = 2)
public final class DeleteGroupsApi extends Api<DeleteGroupsRequestData> {
    private final ServedGroups served;

    public DeleteGroupsApi(ServedGroups served) {
        this.served = served;
    }

    @Override
    public DeleteGroupsRequestData read(Readable bytes, short version) {
        return new DeleteGroupsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<DeleteGroupsRequestData> request) {
        List<CompletableFuture<DeletableGroupResult>> results = new ArrayList<>();
        for (String group : request.body().groupsNames()) {
            results.add(
                    group.isEmpty()
                            ? CompletableFuture.completedFuture(result(group, Errors.INVALID_GROUP_ID))
                            : GroupErrors.laterUnlessDamaged(
                                    () -> served.delete(group)
                                            .thenApply(answer -> result(group, GroupErrors.of(answer))),
                                    (error, _) -> result(group, error)));
        }
        return PendingResponse.when(CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
                .thenApply(all -> {
                    DeleteGroupsResponseData response = new DeleteGroupsResponseData();
                    results.forEach(result -> response.results().add(result.join()));
                    return response;
                }));
    }

    private static DeletableGroupResult result(String group, Errors error) {
        return new DeletableGroupResult().setGroupId(group).setErrorCode(error.code());
    }
}
