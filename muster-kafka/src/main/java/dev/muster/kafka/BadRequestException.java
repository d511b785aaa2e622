package dev.muster.kafka;

/** The bytes are no request that can be answered: the connection is closed, as Kafka does. */
public final class BadRequestException extends RuntimeException {
    public BadRequestException(String message) {
        super(message);
    }

    BadRequestException(String message, Throwable cause) {
        super(message, cause);
    }
}
