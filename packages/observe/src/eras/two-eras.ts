import type { InTwoEras, RunSpec, SimulationSource, Work } from '@syncloop/core/debug';
import { inEra } from '@syncloop/core/debug';
import { defaultEra, type EraVersion } from '@syncloop/core/kubelet/era/versions';
import { EraRun } from './era-run.js';

/**
 * Runs a scenario from its beginning with two versions of the kubelet. Interventions, in whichever version they were
 * made, are repeated at the same times in each. Throws the source's error for a scenario that it cannot start.
 */
export function* inTwoEras(source: SimulationSource, spec: RunSpec, eras: InTwoEras['eras']): Work<InTwoEras> {
  const run = source.open?.(spec) ?? spec;
  const { interventions = [] } = run;
  const own = new EraRun(source, run);
  // Only the run itself knows which pod had the UID that somebody killed.
  const last = interventions.some(({ command }) => command.do === 'kill') ? (interventions.at(-1)?.time ?? 0) : -1;
  yield* own.go(() => own.time <= last);
  const store = yield* own.store();
  const era = own.simulation.era ?? defaultEra;
  const as = (version: EraVersion): RunSpec =>
    version === era
      ? run
      : inEra(
          run,
          own.simulation,
          version,
          (uid, { after }) => store.stateAt(Math.min(after, store.last)).pods[uid]?.pod ?? '',
        );
  return { eras, runs: [as(eras[0]), as(eras[1])], until: Math.max(0, last) };
}
