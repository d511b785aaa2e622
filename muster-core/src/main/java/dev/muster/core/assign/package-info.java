/**
 * Assignors: plain functions from subscriptions and present owners to the partitions that each member should own.
 *
 * <p>Start at {@link dev.muster.core.assign.Assignor}. The one rule: the same question has the same answer in every
 * process. So nothing here may depend on the order of a hash table or on chance.
 */
package dev.muster.core.assign;
