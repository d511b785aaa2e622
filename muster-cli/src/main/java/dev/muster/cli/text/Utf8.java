package dev.muster.cli.text;

/** Checks whether bytes are text that a Java string can hold without loss. */
final class Utf8 {
    private Utf8() {}

    static boolean isValid(byte[] bytes) {
        int at = 0;
        while (at < bytes.length) {
            int length = sequenceLength(bytes, at);
            if (length == 0) {
                return false;
            }
            at += length;
        }
        return true;
    }

    /** The length of the valid sequence at this index; 0 if there is none. Refuses overlong forms and surrogates. */
    private static int sequenceLength(byte[] bytes, int at) {
        int lead = bytes[at] & 0xff;
        if (lead < 0x80) {
            return 1;
        }
        if (lead < 0xc2 || lead > 0xf4) {
            return 0;
        }
        int length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        if (at + length > bytes.length) {
            return 0;
        }
        int second = bytes[at + 1] & 0xff;
        int lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        int highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (second < lowest || second > highest) {
            return 0;
        }
        for (int i = at + 2; i < at + length; i++) {
            if ((bytes[i] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return length;
    }
}
