/** The same run with another version of the kubelet. */
import { defaultEra, type EraVersion } from '../../kubelet/era/types.js';
import type { Micros } from '../../trace/index.js';
import type { Intervention, InterventionCommand } from '../protocol/commands.js';
import type { RunSpec } from '../protocol/run-spec.js';
import type { Simulation } from '../run/simulation.js';

/** The same run with two versions of the kubelet, and how far the first of them is known. */
export interface InTwoEras {
  readonly eras: readonly [EraVersion, EraVersion];
  readonly runs: readonly [RunSpec, RunSpec];
  readonly until: Micros;
}

/**
 * The run with another version of the kubelet: what was done from outside is done at the same times. Choices of the
 * schedule stay behind, as they name decisions of the other run. `simulation`: the run as it is now. `podOf`: the pod
 * (namespace/name) that had a UID when something was done; '' if nobody knows. UIDs of static pods are others there.
 */
export function inEra(
  run: RunSpec,
  simulation: Pick<Simulation, 'era' | 'writtenFor'>,
  era: EraVersion,
  podOf: (uid: string, done: Intervention) => string,
): RunSpec {
  const { era: _, deviations: __, interventions = [], ...request } = run;
  const written = simulation.writtenFor ?? simulation.era ?? defaultEra;
  return {
    ...request,
    ...(era !== written && { era }),
    ...(interventions.length > 0 && {
      interventions: interventions.map((done) => ({ ...done, command: byName(done, podOf), byTime: true as const })),
    }),
  };
}

function byName(done: Intervention, podOf: Parameters<typeof inEra>[3]): InterventionCommand {
  const { command } = done;
  return command.do === 'kill' ? { ...command, uid: podOf(command.uid, done) || command.uid } : command;
}

/** Whether the same was done from outside in two runs, at the same times. */
export function sameDoings(a: RunSpec, b: RunSpec): boolean {
  const doings = ({ interventions = [] }: RunSpec) =>
    JSON.stringify(
      // Each run has its own UIDs.
      interventions.map(({ time, command }) => [time, command.do === 'kill' ? { ...command, uid: '' } : command]),
    );
  return doings(a) === doings(b);
}
