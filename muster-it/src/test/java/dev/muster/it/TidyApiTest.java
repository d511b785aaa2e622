package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.JavaTypeVariable;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URL;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The types that an application may name: a public signature of one of them names only others of them, and the JDK's.
 */
class TidyApiTest {
    /** All public types of these packages. */
    private static final Set<String> PACKAGES =
            Set.of("dev.muster.embedded", "dev.muster.embedded.admin", "dev.muster.core", "dev.muster.core.assign");

    /** From the contract of stores: its exceptions, and the value that one of them carries. */
    private static final String STORE = "dev.muster.store";

    private static final Set<String> STORE_VALUES =
            Set.of("dev.muster.store.DiskState", "dev.muster.store.DiskState$Level");

    private static final JavaClasses MUSTER = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.muster.embedded", "dev.muster.core", STORE);

    @Test
    void publicSignaturesNameOnlyPublicTypes() {
        List<JavaClass> api = MUSTER.stream()
                .filter(TidyApiTest::isApi)
                .filter(TidyApiTest::isVisible)
                .toList();
        assertThat(api)
                .extracting(JavaClass::getSimpleName)
                .contains("Muster", "Groups", "Header", "DiskFullException");

        Set<String> found = new TreeSet<>();
        for (JavaClass type : api) {
            signature(type)
                    .filter(named -> !isApiOrJdk(named))
                    .forEach(named -> found.add(type.getName() + ": " + named));
            type.getMembers().stream()
                    .filter(TidyApiTest::isVisible)
                    .forEach(member -> signature(member)
                            .filter(named -> !isApiOrJdk(named))
                            .forEach(named -> found.add(member.getFullName() + ": " + named)));
        }
        assertThat(found).as("public signatures that name internal types").isEmpty();
    }

    @Test
    void modulesExportOnlyTheApiToApplications() throws IOException {
        Set<String> modules = new TreeSet<>();
        Set<String> exported = new TreeSet<>();
        for (URL place : Collections.list(getClass().getClassLoader().getResources("module-info.class"))) {
            ModuleDescriptor module;
            try (InputStream in = place.openStream()) {
                module = ModuleDescriptor.read(in);
            }
            if (module.name().startsWith("dev.muster.")) {
                modules.add(module.name());
                module.exports().stream()
                        .filter(export -> !export.isQualified())
                        .forEach(export -> exported.add(export.source()));
                assertThat(module.opens())
                        .as("packages that %s opens", module.name())
                        .isEmpty();
            }
        }
        assertThat(modules)
                .containsExactly(
                        "dev.muster.core",
                        "dev.muster.disk",
                        "dev.muster.embedded",
                        "dev.muster.engine",
                        "dev.muster.store",
                        "dev.muster.store.file");
        Set<String> api = new TreeSet<>(PACKAGES);
        api.add(STORE);
        assertThat(exported).isEqualTo(api);
    }

    private static boolean isApiOrJdk(JavaClass named) {
        JavaClass type = named.getBaseComponentType();
        return type.isPrimitive() || type.getPackageName().startsWith("java.") || isApi(type);
    }

    private static boolean isApi(JavaClass type) {
        return PACKAGES.contains(type.getPackageName())
                || (type.getPackageName().equals(STORE)
                        && (type.isAssignableTo(Throwable.class) || STORE_VALUES.contains(type.getName())));
    }

    private static boolean isVisible(JavaClass type) {
        return isVisible(type.getModifiers())
                && type.getEnclosingClass().map(TidyApiTest::isVisible).orElse(true);
    }

    private static boolean isVisible(JavaMember member) {
        return isVisible(member.getModifiers());
    }

    private static boolean isVisible(Set<JavaModifier> modifiers) {
        return !modifiers.contains(JavaModifier.SYNTHETIC)
                && (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED));
    }

    private static Stream<JavaClass> signature(JavaClass type) {
        return raw(Stream.of(
                        type.getSuperclass().stream(), type.getInterfaces().stream(), bounds(type.getTypeParameters()))
                .flatMap(types -> types));
    }

    private static Stream<JavaClass> signature(JavaMember member) {
        if (member instanceof JavaCodeUnit unit) {
            return Stream.concat(
                    raw(Stream.of(
                                    Stream.of(unit.getReturnType()),
                                    unit.getParameterTypes().stream(),
                                    bounds(unit.getTypeParameters()))
                            .flatMap(types -> types)),
                    unit.getExceptionTypes().stream());
        }
        return raw(Stream.of(member.getOwner().getField(member.getName()).getType()));
    }

    private static Stream<JavaType> bounds(Collection<? extends JavaTypeVariable<?>> variables) {
        return variables.stream().flatMap(variable -> variable.getUpperBounds().stream());
    }

    private static Stream<JavaClass> raw(Stream<? extends JavaType> types) {
        return types.flatMap(type -> type.getAllInvolvedRawTypes().stream());
    }
}
