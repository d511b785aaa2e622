package dev.muster.kafka.sasl;

/** The login failed. Why is for our log: a client is told the same about every reason. */
final class LoginRefusedException extends Exception {
    LoginRefusedException(String message) {
        super(message);
    }
}
