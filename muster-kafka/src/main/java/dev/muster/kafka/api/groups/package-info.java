/** APIs of consumer groups: the classic protocol, that of KIP-848, offsets, and their administration. */
package dev.muster.kafka.api.groups;
