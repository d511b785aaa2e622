/** Producing, reading and groups over any store. */
@SuppressWarnings("module") // The library is compiled after this module.
module dev.muster.engine {
    requires transitive dev.muster.store;

    exports dev.muster.engine.admin to
            dev.muster.embedded;
    exports dev.muster.engine.group.member to
            dev.muster.embedded;
    exports dev.muster.engine.group.replica to
            dev.muster.embedded;
    exports dev.muster.engine.group.service to
            dev.muster.embedded;
    exports dev.muster.engine.group.view to
            dev.muster.embedded;
    exports dev.muster.engine.produce to
            dev.muster.embedded;
    exports dev.muster.engine.read to
            dev.muster.embedded;
    exports dev.muster.engine.runtime to
            dev.muster.embedded;
}
