/**
 * Tests of the whole: real processes, real signals, real disks, and the tidiness of the tree itself.
 *
 * <p>Start at {@link dev.muster.it.TidyTest} for the rules that the code keeps. The one rule: what can be tested in one
 * module is tested there.
 */
package dev.muster.it;
