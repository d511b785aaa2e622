package dev.muster.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A test that only measures. It runs with {@code -Pfigures} or {@code -Dmuster.figures=true}, and checks its figures. A
 * test that checks more than figures always runs: it has the tag {@code figures} and uses {@link Figures}.
 */
@Tag("figures")
@EnabledIfSystemProperty(
        named = "muster.figures",
        matches = "true",
        disabledReason = "only measures: mvn verify -Pfigures")
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface OnlyFigures {}
