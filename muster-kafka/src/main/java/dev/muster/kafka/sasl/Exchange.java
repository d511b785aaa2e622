package dev.muster.kafka.sasl;

import java.util.Optional;

/** One login of one client, token by token. */
interface Exchange {
    /**
     * What is said to the client's next token; may be empty.
     *
     * @throws LoginRefusedException when it is none, or not from who it says; that was the last one then
     */
    byte[] answer(byte[] token) throws LoginRefusedException;

    /** Who it is, once that is shown. */
    Optional<String> user();
}
