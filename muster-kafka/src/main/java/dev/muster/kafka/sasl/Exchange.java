package dev.muster.kafka.sasl;

import java.util.Optional;

/** One login of one client, token by token. */
interface Exchange {
    /**
     * The response to the client's next token; may be empty.
     *
     * @throws LoginRefusedException if the token is invalid, or does not prove the password; no further token is
     *     accepted then
     */
    byte[] answer(byte[] token) throws LoginRefusedException;

    /** The user, once it is proven. */
    Optional<String> user();
}
