/** APIs that create, delete, describe and alter topics, and tell clients where they are. */
package dev.muster.kafka.api.topics;
