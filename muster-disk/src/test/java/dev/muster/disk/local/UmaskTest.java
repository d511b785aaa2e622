package dev.muster.disk.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UmaskTest {
    @ParameterizedTest
    @CsvSource({
        "755,077,700",
        "755,022,755",
        "755,027,750",
        "750,077,700",
        "770,077,770",
        "2770,022,2770",
        "775,077,770",
        "777,077,777",
        "700,000,700",
        "755,777,700"
    })
    void aClassThatMayOnlyReadGetsTheRightsThatTheUmaskLeaves(String folder, String umask, String made) {
        assertThat(Umask.inherited(Integer.parseInt(folder, 8), Integer.parseInt(umask, 8)))
                .isEqualTo(Integer.parseInt(made, 8));
    }
}
