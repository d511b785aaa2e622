/**
 * What a check or a backup noticed, and the repairs that go with it.
 *
 * <p>Start at {@link dev.muster.store.file.finding.Findings}. The one rule: a finding is plain data; each package
 * checks its own files and adds to the findings.
 */
package dev.muster.store.file.finding;
