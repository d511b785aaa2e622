package dev.muster.kafka.api;

/** The bytes are no request that can be answered. The connection is closed, as Kafka does. */
public final class BadRequestException extends RuntimeException {
    public BadRequestException(String message) {
        super(message);
    }

    public BadRequestException(String message, Throwable cause) {
        super(message, cause);
    }
}
