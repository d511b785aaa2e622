package dev.muster.core.group;

/** More lives than there is time for in every build. */
class GroupModelIT extends GroupModelTest {
    @Override
    int lives() {
        return Boolean.getBoolean("muster.soak") ? 20_000 : 200;
    }
}
