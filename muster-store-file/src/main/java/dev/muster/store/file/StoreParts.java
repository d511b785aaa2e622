package dev.muster.store.file;

import dev.muster.store.file.group.FileGroups;
import dev.muster.store.file.host.HostFiles;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.file.room.DiskPressure;
import java.util.List;
import java.util.stream.Stream;

/**
 * The parts of an open store that need housekeeping.
 *
 * @param hostFiles the files of this process; null if it may only read
 */
record StoreParts(
        Layout layout,
        StoreAccess access,
        DirectoryIdentity directory,
        DiskPressure pressure,
        HostFiles hostFiles,
        WakePage wakePage,
        ProcessPresence presence,
        FileTopics topics,
        OpenPartitions partitions,
        FileGroups groups) {

    /** The open partitions of topics, and the open journals of groups. */
    List<FilePartition> openLogs() {
        return Stream.concat(partitions.all().stream(), groups.openLogs()).toList();
    }
}
