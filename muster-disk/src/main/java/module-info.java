/** Files, shared pages, locks, time and threads of one machine, for the file store. It makes native calls. */
@SuppressWarnings("module") // The file store is compiled after this module.
module dev.muster.disk {
    exports dev.muster.disk to
            dev.muster.store.file;
    exports dev.muster.disk.local to
            dev.muster.store.file;
}
