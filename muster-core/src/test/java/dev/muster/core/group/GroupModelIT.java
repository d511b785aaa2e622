package dev.muster.core.group;

/** Runs more lives than every build has time for. */
class GroupModelIT extends GroupModelTest {
    @Override
    int lives() {
        return Boolean.getBoolean("muster.soak") ? 20_000 : 200;
    }
}
