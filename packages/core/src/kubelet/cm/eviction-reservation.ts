import type { ResourceList } from '../../api/types.js';
import { quantityValue, resourceOf } from '../../base/index.js';
import type { KubeletConfig } from '../config.js';
import { hardEvictionReservation, parseThresholdConfig } from '../eviction/thresholds.js';

/**
 * Returns the part of a capacity that hard eviction keeps free, by resource. Throws if a threshold cannot be read.
 * upstream: cm hardEvictionReservation
 */
export function evictionReservationOf(config: KubeletConfig, capacity: ResourceList): ResourceList {
  const thresholds = parseThresholdConfig(config);
  const bytes = (name: string) => quantityValue(resourceOf(capacity, name));
  const memory =
    config.evictionHard === undefined && config.evictionHardMemoryBytes !== undefined
      ? config.evictionHardMemoryBytes
      : hardEvictionReservation(thresholds, 'memory.available', bytes('memory'));
  const storage = hardEvictionReservation(thresholds, 'nodefs.available', bytes('ephemeral-storage'));
  return {
    memory: String(memory),
    ...(capacity['ephemeral-storage'] !== undefined && { 'ephemeral-storage': String(Math.floor(storage)) }),
  };
}
