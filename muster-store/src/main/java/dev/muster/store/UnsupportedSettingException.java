package dev.muster.store;

import dev.muster.core.MusterException;

/** The store does not know a setting of a topic, or not this value. Nothing was changed. */
public final class UnsupportedSettingException extends MusterException {
    private final String setting;

    /**
     * @param setting the name of the setting, as {@code segment.bytes}
     * @param why the reason as the end of a sentence: "records are not kept in segments"
     */
    public UnsupportedSettingException(String setting, String why) {
        super("this store cannot apply " + setting + ": " + why, "leave " + setting + " at its default");
        this.setting = setting;
    }

    public String setting() {
        return setting;
    }
}
