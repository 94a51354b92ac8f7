/** The scenarios of the library that a twin of their capture re-enacts, for the test and the benchmark of it. */
import type { Scenario } from '@syncloop/core/scenario';
import type { Micros } from '@syncloop/core/trace';

/** The decisions that its twin still lacks, by scenario, because the capture does not state them. */
const without: Readonly<Record<string, string>> = {
  'disk-pressure': 'how full the disk was',
  'memory-pressure': 'how much memory was left',
  'soft-eviction': 'how much memory was left',
  'node-shutdown': 'what the machine waited for',
  'start-error': 'that a runtime which says Unavailable was there',
  'kubelet-crash': 'what came of a pull that its kubelet did not see',
  'http-source': 'what the address of manifests answered',
  'sources-not-ready': 'that the kubelet waited for an API server that it could not reach',
  preemption: 'the specification of a pod that was gone before any list of pods',
};
/** Scenarios of many pods take long, and post-mortems have faults that no real node has. */
const notCaptured = /^(many-pods|full-node|postmortem-.*)$/;

/** The part of a scenario that is captured, on the clock of its run. */
export const reEnactedUntil: Micros = 60e6;

/**
 * The part that is left out when the runs of a scenario are compared with their twins. `comparison`: a twin can be made
 * and run, but lacks something that no capture reports. `whole`: nothing can be learned from a twin, or the scenario
 * names its own version of the kubelet. null: nothing is left out.
 */
export function leftOut({ name, era }: Pick<Scenario, 'name' | 'era'>): 'comparison' | 'whole' | null {
  if (notCaptured.test(name) || era !== undefined) return 'whole';
  return Object.hasOwn(without, name) ? 'comparison' : null;
}
