package dev.muster.kafka.sasl;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The hash functions that SCRAM is used with, and the formulas of RFC 5802, section 3, that rest on them. */
enum ScramHash {
    SHA_256("SHA-256", "HmacSHA256"),
    SHA_512("SHA-512", "HmacSHA512");

    private final String digest;
    private final String mac;

    ScramHash(String digest, String mac) {
        this.digest = digest;
        this.mac = mac;
    }

    /** The name of the mechanism, on the wire and in files. */
    String mechanism() {
        return "SCRAM-" + digest;
    }

    /** {@code H(text)} */
    byte[] hash(byte[] text) {
        try {
            return MessageDigest.getInstance(digest).digest(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + digest, e);
        }
    }

    /** {@code HMAC(key, text)} */
    byte[] hmac(byte[] key, String text) {
        return mac(key).doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    /** {@code Hi(password, salt, iterations)} */
    byte[] stretch(String password, byte[] salt, int iterations) {
        Mac hmac = mac(password.getBytes(StandardCharsets.UTF_8));
        hmac.update(salt);
        byte[] last = hmac.doFinal(new byte[] {0, 0, 0, 1});
        byte[] sum = last.clone();
        for (int i = 1; i < iterations; i++) {
            last = hmac.doFinal(last);
            xor(sum, last);
        }
        return sum;
    }

    static void xor(byte[] into, byte[] other) {
        for (int i = 0; i < into.length; i++) {
            into[i] ^= other[i];
        }
    }

    private Mac mac(byte[] key) {
        try {
            Mac instance = Mac.getInstance(mac);
            // Keys are padded with zeros, so an empty key and a zero byte are the same; Java has no empty keys.
            instance.init(new SecretKeySpec(key.length == 0 ? new byte[1] : key, mac));
            return instance;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + mac, e);
        }
    }
}
