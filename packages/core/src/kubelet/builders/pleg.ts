import type { RuntimeService } from '../../cri/index.js';
import { featureEnabled } from '../features.js';
import type { KubeGenericRuntimeManager } from '../kuberuntime/kuberuntime-manager.js';
import { EventedPLEG, eventedRelistDuration } from '../pleg/evented.js';
import { genericRelistDuration, newGenericPLEG } from '../pleg/generic.js';
import type { Cache, PodLifecycleEventGenerator } from '../pleg/types.js';
import type { RuntimeState } from '../runtime-state.js';
import type { Foundation } from './types.js';

export interface PLEGParts extends Pick<Foundation, 'kernel' | 'config' | 'parts'> {
  readonly runtimeService: RuntimeService;
  readonly runtime: Pick<KubeGenericRuntimeManager, 'generatePodStatus' | 'getPod' | 'getPods' | 'getPodStatus'>;
  readonly cache: Cache;
  readonly runtimeState: RuntimeState;
}

/**
 * Builds the PLEGs, which see that containers changed: by relisting and, with gate EventedPLEG, by the runtime's own
 * events too. Whether they work becomes part of the runtime's health.
 * upstream: pleg.NewGenericPLEG, pleg.NewEventedPLEG
 */
export function newPLEGs({ kernel, config, runtimeService, runtime, cache, runtimeState, parts }: PLEGParts): {
  pleg: PodLifecycleEventGenerator;
  eventedPleg: EventedPLEG | null;
} {
  const evented = featureEnabled(config, 'EventedPLEG');
  const { genericPlegRelistPeriod = genericRelistDuration.relistPeriod } = config.constants ?? {};
  const generic = { ...genericRelistDuration, relistPeriod: genericPlegRelistPeriod };
  let eventedPleg: EventedPLEG | null = null;
  const pleg = newGenericPLEG({
    kernel,
    runtime,
    cache,
    config,
    neverRelisted: runtimeState.rules.neverRelisted,
    relistDuration: evented ? eventedRelistDuration : generic,
    channelCapacity: config.constants?.plegChannelCapacity,
    parts,
    eventedInUse: () => eventedPleg?.inUse() ?? false,
  });
  runtimeState.addHealthCheck('PLEG', () => pleg.healthy());
  if (evented) {
    const events = new EventedPLEG({
      kernel,
      runtimeService,
      generatePodStatus: (event) => runtime.generatePodStatus(event),
      cache,
      genericPleg: pleg,
      relistDuration: generic,
    });
    eventedPleg = events;
    runtimeState.addHealthCheck('EventedPLEG', () => events.healthy());
  }
  return { pleg, eventedPleg };
}
