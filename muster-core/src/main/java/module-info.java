/**
 * Values and rules of Muster. Applications use {@code dev.muster.core} and {@code dev.muster.core.assign}; the rules of
 * groups are for Muster's own modules.
 */
@SuppressWarnings("module") // The modules below are compiled after this one.
module dev.muster.core {
    exports dev.muster.core;
    exports dev.muster.core.assign;
    exports dev.muster.core.group to
            dev.muster.store.file,
            dev.muster.engine,
            dev.muster.embedded;
    exports dev.muster.core.group.classic to
            dev.muster.engine,
            dev.muster.embedded;
    exports dev.muster.core.group.command to
            dev.muster.engine,
            dev.muster.embedded;
    exports dev.muster.core.group.json to
            dev.muster.store.file,
            dev.muster.engine;
    exports dev.muster.core.group.model to
            dev.muster.store,
            dev.muster.store.file,
            dev.muster.engine,
            dev.muster.embedded;
    exports dev.muster.core.group.repair to
            dev.muster.engine,
            dev.muster.embedded;
    exports dev.muster.core.json to
            dev.muster.store.file,
            dev.muster.engine;
}
