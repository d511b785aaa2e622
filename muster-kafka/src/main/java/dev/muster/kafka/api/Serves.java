package dev.muster.kafka.api;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apache.kafka.common.protocol.ApiKeys;

/** The versions of an API that a class serves, and the meaning that it leaves out. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Serves {
    ApiKeys api();

    int from();

    int to();

    /** The lowest version in the list for clients, or -1 for the lowest that is served. */
    int advertisedFrom() default -1;

    /** The part of Kafka's meaning that is missing, as a sentence; empty if nothing is missing. */
    String without() default "";
}
