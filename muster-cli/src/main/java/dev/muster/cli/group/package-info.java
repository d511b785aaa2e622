/**
 * {@code muster group}: shows groups, explains them, and does what an administrator does to them.
 *
 * <p>Start at {@link dev.muster.cli.group.GroupCommand}. The one rule: what is not known is shown as not known. An
 * offset, a lag or a time that is missing is a dash for people and null for programs, never 0.
 */
package dev.muster.cli.group;
