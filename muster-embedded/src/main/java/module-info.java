/**
 * The library: start at {@link dev.muster.embedded.Muster}. A module that requires this one also reads the values of
 * {@code dev.muster.core} and the exceptions of {@code dev.muster.store}.
 */
module dev.muster.embedded {
    requires transitive dev.muster.core;
    requires transitive dev.muster.store;
    requires dev.muster.engine;
    requires dev.muster.store.file;

    exports dev.muster.embedded;
    exports dev.muster.embedded.admin;
}
