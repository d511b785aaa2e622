package dev.muster.it;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Rules about dependencies of modules, places of input and output, and the text of files. A rule that is in the way is
 * discussed and changed here, never bypassed.
 */
class TidyTest {
    private static final int LINES_MAX = 1000;

    private static final String JAVA = "java..";
    private static final String JAVA_CRYPTO = "javax.crypto..";
    private static final String CORE = "dev.muster.core..";
    private static final String STORE = "dev.muster.store..";
    private static final String STORE_FILE = "dev.muster.store.file..";
    private static final String DISK = "dev.muster.disk..";
    private static final String GROUP = "dev.muster.store.group..";
    private static final String READ = "dev.muster.store.read..";
    private static final String WATCH = "dev.muster.store.watch..";
    private static final String RUNTIME = "dev.muster.store.runtime..";
    private static final String BATCH = "dev.muster.store.batch..";
    private static final String COMPRESSION = "dev.muster.store.compression..";
    private static final String KAFKA = "org.apache.kafka..";
    private static final String KAFKA_DOOR = "dev.muster.kafka..";
    private static final String ENGINE = "dev.muster.engine..";

    private static final String[] COMPRESSION_LIBRARIES = {
        "org.xerial.snappy..", "net.jpountz..", "com.github.luben.zstd.."
    };

    /** Packages with one implementation of a store each; {@code dev.muster.store} has the contract of all. */
    private static final String[] STORES = {
        STORE_FILE, "dev.muster.store.memory..", "dev.muster.store.postgres..", "dev.muster.store.cluster.."
    };

    /** Doors other than the composition roots {@code embedded} and {@code cli}, which choose a store. */
    private static final String[] DOORS = {KAFKA_DOOR, "dev.muster.http.."};

    private static final JavaClasses MUSTER = new ClassFileImporter().importPackages("dev.muster");
    private static final SourceTree TREE = SourceTree.find();

    // Layers

    @Test
    void coreKnowsOnlyTheJdk() {
        check(classes()
                .that()
                .resideInAPackage(CORE)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(JAVA, CORE));
    }

    @Test
    void coreHasNoInputOutputLoggerOrThread() {
        DescribedPredicate<JavaClass> world = resideInAnyPackage(
                        "java.nio.file..", "java.nio.channels..", "java.net..", "java.util.logging..")
                .or(nameMatching("java\\.io\\.(File|RandomAccessFile).*"))
                .or(nameMatching("java\\.lang\\.(System\\$Logger.*|Process.*|ThreadLocal.*)"))
                .or(nameMatching("java\\.util\\.concurrent\\.(Executor.*|.*Executor|ForkJoin.*|Thread.*|locks.*)"))
                .or(assignableTo(Thread.class));
        check(noClasses().that().resideInAPackage(CORE).should().dependOnClassesThat(world.as("reach into the world")));
    }

    @Test
    void coreUsesNoClockAndNoRandomness() {
        DescribedPredicate<JavaCall<?>> hidden = calling(Instant.class, "now")
                .or(calling(Clock.class, "system.*"))
                .or(calling(System.class, "nanoTime|currentTimeMillis"))
                .or(calling(Math.class, "random"))
                .or(calling(UUID.class, "randomUUID"))
                .or(calling(Random.class, "<init>"))
                .or(target(owner(nameMatching("java\\.time\\..*"))).and(target(nameMatching("now"))));
        check(noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .callCodeUnitWhere(hidden.as("read a clock or roll dice")));
    }

    @Test
    void engineTakesTimeThreadsAndRandomnessFromItsRuntime() {
        DescribedPredicate<JavaCall<?>> raw = calling(System.class, "nanoTime|currentTimeMillis")
                .or(calling(Instant.class, "now"))
                .or(calling(Math.class, "random"))
                .or(calling(ThreadLocalRandom.class, "current"))
                .or(calling(Thread.class, "<init>|ofPlatform|ofVirtual|startVirtualThread"))
                .or(calling(Executors.class, ".*"));
        check(noClasses()
                .that(resideInAPackage(ENGINE).and(not(resideInAPackage("dev.muster.engine.runtime.."))))
                .should()
                .callCodeUnitWhere(raw.as("read a clock, make a thread or roll dice")));
    }

    @Test
    void storesTakeTimeAndRandomIdsFromTheirRuntime() {
        DescribedPredicate<JavaCall<?>> raw = calling(System.class, "nanoTime|currentTimeMillis")
                .or(calling(Instant.class, "now"))
                .or(calling(Clock.class, "system.*"))
                .or(calling(UUID.class, "randomUUID"))
                .or(calling(Math.class, "random"))
                .or(calling(ThreadLocalRandom.class, "current"));
        check(noClasses()
                .that()
                .resideInAnyPackage(STORE_FILE, "dev.muster.store.memory..")
                .should()
                .callCodeUnitWhere(raw.as("read a clock or roll dice")));
    }

    @Test
    void theStoreContractsKnowOnlyCore() {
        check(classes()
                .that(resideInAPackage(STORE).and(not(resideInAnyPackage(STORES))))
                .and(not(resideInAPackage(COMPRESSION)))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(JAVA, CORE, STORE).and(not(resideInAnyPackage(STORES)))));
    }

    @Test
    void onlyTheKafkaDoorKnowsKafkasTypes() {
        check(noClasses()
                .that(resideInAPackage("dev.muster..")
                        .and(not(resideInAnyPackage(KAFKA_DOOR, "dev.muster.it..", "dev.muster.bench.."))))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(KAFKA));
    }

    @Test
    void onlyTheCompressionPackageKnowsCompressionLibraries() {
        check(noClasses()
                .that(resideInAPackage("dev.muster..").and(not(resideInAPackage(COMPRESSION))))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(COMPRESSION_LIBRARIES));
        check(classes()
                .that()
                .resideInAPackage(COMPRESSION)
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(JAVA, CORE, COMPRESSION).or(resideInAnyPackage(COMPRESSION_LIBRARIES))));
    }

    /** The class path of an application is its own: libraries beside ours are optional or for tests. */
    @Test
    void embeddedLibraryNeedsNoThirdPartyJars() {
        for (String module : List.of("core", "disk", "store", "store-file", "engine", "embedded")) {
            assertThat(pom("muster-" + module + "/pom.xml").stream()
                            .filter(line -> line.contains("<dependency>") && !line.contains("<groupId>dev.muster<")))
                    .as("dependencies of muster-%s", module)
                    .isNotEmpty()
                    .allMatch(line -> line.contains("<optional>true<") || line.contains("<scope>test<"));
        }
    }

    @Test
    void billOfMaterialsHasTheVersionsThatAreTested() {
        List<String> root = pom("pom.xml");
        List<String> bill = pom("muster-bom/pom.xml");
        for (String library : List.of("snappy-java", "lz4-java", "zstd-jni")) {
            assertThat(version(bill, library)).as(library).isEqualTo(version(root, library));
        }
    }

    private static List<String> pom(String name) {
        return TREE.files(".xml")
                .filter(file -> TREE.name(file).equals(name))
                .findFirst()
                .flatMap(TREE::lines)
                .orElseThrow();
    }

    private static String version(List<String> pom, String artifact) {
        String managed = pom.stream()
                .filter(line -> line.contains("<artifactId>" + artifact + "<"))
                .map(line -> textOf("version", line))
                .findFirst()
                .orElseThrow();
        return managed.startsWith("${")
                ? pom.stream()
                        .filter(line -> line.contains("<" + managed.substring(2, managed.length() - 1) + ">"))
                        .map(line -> textOf(managed.substring(2, managed.length() - 1), line))
                        .findFirst()
                        .orElseThrow()
                : managed;
    }

    private static String textOf(String tag, String line) {
        return line.substring(line.indexOf("<" + tag + ">") + tag.length() + 2, line.indexOf("</" + tag + ">"));
    }

    @Test
    void recordBatchesKnowOnlyCompression() {
        check(classes()
                .that()
                .resideInAPackage(BATCH)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(JAVA, CORE, BATCH, COMPRESSION));
    }

    @Test
    void theFileStoreKnowsOnlyTheContracts() {
        check(classes()
                .that()
                .resideInAPackage(STORE_FILE)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        JAVA, CORE, DISK, "dev.muster.store", BATCH, GROUP, READ, WATCH, RUNTIME, STORE_FILE));
    }

    @Test
    void theDiskKnowsNoStore() {
        check(classes()
                .that()
                .resideInAPackage(DISK)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(JAVA, DISK));
    }

    @Test
    void onlyTheFileStoreAndProgramsKnowTheDisk() {
        check(noClasses()
                .that()
                .resideInAnyPackage(
                        CORE,
                        BATCH,
                        GROUP,
                        READ,
                        WATCH,
                        RUNTIME,
                        "dev.muster.store",
                        "dev.muster.store.memory..",
                        ENGINE)
                .or()
                .resideInAnyPackage(DOORS)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(DISK));
    }

    @Test
    void storesDoNotKnowEachOther() {
        for (String store : STORES) {
            String[] others =
                    Stream.of(STORES).filter(other -> !other.equals(store)).toArray(String[]::new);
            check(noClasses()
                    .that()
                    .resideInAPackage(store)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(others));
        }
    }

    @Test
    void theEngineDoesNotKnowWhichStoreItRunsOn() {
        check(noClasses()
                .that()
                .resideInAPackage(ENGINE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(STORES));
        check(classes()
                .that()
                .resideInAPackage(ENGINE)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(JAVA, CORE, STORE, ENGINE));
    }

    @Test
    void doorsDoNotKnowStores() {
        check(noClasses()
                .that()
                .resideInAnyPackage(DOORS)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(STORES));
    }

    @Test
    void theKafkaDoorKnowsOnlyTheEngineAndTheContracts() {
        check(classes()
                .that()
                .resideInAPackage(KAFKA_DOOR)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(JAVA, JAVA_CRYPTO, CORE, STORE, ENGINE, KAFKA, KAFKA_DOOR)
                        .and(not(resideInAnyPackage(STORES)))));
    }

    @Test
    void noModuleKnowsTheCommandLine() {
        check(noClasses()
                .that(not(resideInAnyPackage("dev.muster.cli..", "dev.muster.it..", "dev.muster.bench..")))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.muster.cli.."));
    }

    @Test
    void onlyTheDiskPackageTouchesFiles() {
        DescribedPredicate<? super JavaClass> files = nameMatching(
                "java\\.nio\\.file\\.Files|java\\.nio\\.channels\\..*FileChannel|java\\.io\\.(File|RandomAccessFile).*");
        check(noClasses()
                .that()
                .resideInAPackage(STORE_FILE)
                .should()
                .dependOnClassesThat(files.as("read or write files")));
    }

    /** The API and its hidden implementation in {@code embedded.internal} know each other, so they count as one. */
    @Test
    void packagesHaveNoCycles() {
        SliceAssignment packages = new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                String name = type.getPackageName();
                if (name.startsWith("dev.muster.it")) {
                    return SliceIdentifier.ignore();
                }
                return SliceIdentifier.of(name.startsWith("dev.muster.embedded") ? "dev.muster.embedded" : name);
            }

            @Override
            public String getDescription() {
                return "packages";
            }
        };
        check(SlicesRuleDefinition.slices().assignedFrom(packages).should().beFreeOfCycles());
    }

    // Habits

    @Test
    void typeNamesAvoidVagueWords() {
        check(noClasses().should().haveNameMatching(".*(Manager|Helper|Utils?|Impl)(\\$.*)?"));
    }

    @Test
    void everyPackageHasAPackageInfo() {
        assertThat(TREE.mainSources()
                        .filter(file -> !file.endsWith("module-info.java"))
                        .map(Path::getParent)
                        .distinct())
                .filteredOn(folder -> !Files.exists(folder.resolve("package-info.java")))
                .as("packages without package-info.java")
                .isEmpty();
    }

    @Test
    void sourceFilesHaveALengthLimit() {
        assertThat(TREE.files(".java")
                        .filter(file -> TREE.lines(file).orElse(List.of()).size() > LINES_MAX))
                .as("sources of more than %d lines", LINES_MAX)
                .isEmpty();
    }

    @Test
    void noTestSleeps() {
        assertThat(TREE.linesThat(TREE.testSources(), line -> line.contains("Thread." + "sleep(")))
                .as("tests wait for something to be true, never for time to pass")
                .isEmpty();
    }

    @Test
    void everyDocumentHasATitle() {
        assertThat(TREE.files(".md")
                        .filter(file -> !hasTitle(TREE.lines(file).orElse(List.of())))
                        .map(TREE::name))
                .as("documents that do not begin with a title")
                .isEmpty();
    }

    private static boolean hasTitle(List<String> lines) {
        return lines.stream()
                .filter(line -> !line.isBlank())
                .findFirst()
                .filter(line -> line.startsWith("# ") || line.startsWith("<h1"))
                .isPresent();
    }

    @Test
    void noFileContainsALocalPath() {
        Pattern place = Pattern.compile("(?<![\\w.*}])/(work|root|home/[a-z]+|Users/[A-Za-z]+|usr/lib/jvm/[a-z0-9]+)/");
        assertThat(TREE.linesThat(TREE.files(), line -> place.matcher(line).find()))
                .as("paths that mean nothing elsewhere")
                .isEmpty();
    }

    private static DescribedPredicate<JavaCall<?>> calling(Class<?> type, String names) {
        return target(owner(assignableTo(type))).and(target(nameMatching(names)));
    }

    /** Checks a rule; a rule about a package that does not exist yet passes. */
    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(MUSTER);
    }
}
