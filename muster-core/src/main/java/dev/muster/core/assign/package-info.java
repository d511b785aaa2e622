/**
 * Assignors: plain functions from subscriptions and the present owners to who should own what.
 *
 * <p>Start at {@link dev.muster.core.assign.Assignor}. The one rule: the same question has the same answer in every
 * process, so nothing here may depend on the order of a hash or on chance.
 */
package dev.muster.core.assign;
