/**
 * The contract that stores keep, record batches, and the store in memory. Applications meet the exceptions of
 * {@code dev.muster.store}; all else is for Muster's own modules.
 */
@SuppressWarnings({
    "module", // The modules named behind "to" are compiled after this one.
    "requires-automatic" // Two of the compression libraries have no descriptor.
})
module dev.muster.store {
    requires transitive dev.muster.core;

    // Optional: an application adds the library of a compression that it uses.
    requires static com.github.luben.zstd_jni;
    requires static org.lz4.java;
    requires static snappy.java;

    exports dev.muster.store;
    exports dev.muster.store.batch to
            dev.muster.store.file,
            dev.muster.engine,
            dev.muster.embedded;
    exports dev.muster.store.compression to
            dev.muster.engine;
    exports dev.muster.store.group to
            dev.muster.store.file,
            dev.muster.engine;
    exports dev.muster.store.memory to
            dev.muster.embedded;
    exports dev.muster.store.read to
            dev.muster.store.file,
            dev.muster.engine,
            dev.muster.embedded;
    exports dev.muster.store.runtime to
            dev.muster.store.file,
            dev.muster.engine;
    exports dev.muster.store.watch to
            dev.muster.store.file,
            dev.muster.engine;
}
