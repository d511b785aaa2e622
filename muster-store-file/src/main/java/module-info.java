/** The store in a directory, shared by many processes. */
@SuppressWarnings("module") // The library is compiled after this module.
module dev.muster.store.file {
    requires transitive dev.muster.store;
    requires dev.muster.disk;

    exports dev.muster.store.file to
            dev.muster.embedded;
}
