package dev.muster.kafka.api;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apache.kafka.common.protocol.ApiKeys;

/** Which versions of which API a class serves, and what it leaves out. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Serves {
    ApiKeys api();

    int from();

    int to();

    /** The lowest version that clients are told of, where that is not the lowest that works; -1: it is. */
    int advertisedFrom() default -1;

    /** What of Kafka's meaning is missing, a sentence; empty when nothing is. */
    String without() default "";
}
