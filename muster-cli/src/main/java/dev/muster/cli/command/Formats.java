package dev.muster.cli.command;

import dev.muster.cli.text.OutputFormat;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The output formats that a command takes with {@code -o}; its help and the completion offer these, and others are
 * refused. A command without this annotation prints no data: it takes {@code json} and {@code jsonl}, for its errors.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Formats {
    OutputFormat[] value();
}
