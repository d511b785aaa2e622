package dev.muster.kafka.sasl;

/** The login failed. The reason is for our log: a client gets the same answer for every reason. */
final class LoginRefusedException extends Exception {
    LoginRefusedException(String message) {
        super(message);
    }
}
