/** The same run with another version of the kubelet. */
import { defaultEra, type EraVersion } from '../../kubelet/era/versions.js';
import type { Micros } from '../../trace/index.js';
import type { Work } from '../base/work.js';
import type { Intervention, InterventionCommand } from '../protocol/commands.js';
import type { RunSpec } from '../protocol/run-spec.js';
import type { Simulation } from '../run/simulation.js';
import type { Branch } from './branches.js';
import { begin, switchTo } from './branching.js';
import { jumpTo, jumpToNearest, jumpToTime, runUntil } from './jumps.js';
import { open } from './opening.js';
import type { TimeTravel } from './time-travel.js';

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

/** Returns true if two runs have the same interventions, at the same times. */
export function sameDoings(a: RunSpec, b: RunSpec): boolean {
  const doings = ({ interventions = [] }: RunSpec) =>
    JSON.stringify(
      // Each run has its own UIDs.
      interventions.map(({ time, command }) => [time, command.do === 'kill' ? { ...command, uid: '' } : command]),
    );
  return doings(a) === doings(b);
}

/**
 * Goes over to the same run with another version of the kubelet, at the same time; to where the scenario opens, or to
 * the start, if it stands there. The run is known as far as this one is.
 */
export function* toEra(travel: TimeTravel, era: EraVersion): Work {
  if (era === travel.branch.era) return;
  const { now, step, view, watch } = travel;
  const { opened } = travel.branch;
  const atOpening = opened !== null && opened.seq === view.last && opened.step === step;
  const until = Math.max(travel.end.time, now);
  const found = known(travel, era);
  travel.watch = null;
  try {
    if (found) yield* switchTo(travel, found.id);
    else yield* branchInEra(travel, era);
    yield* runUntil(travel, until);
  } finally {
    travel.watch = watch;
  }
  if (step === 0) yield* jumpTo(travel, { step: 0 });
  else if (atOpening && travel.branch.opened) yield* jumpToNearest(travel, travel.branch.opened);
  else if (!travel.atHead || now < travel.now) yield* jumpToTime(travel, now);
}

/** Returns this run and the same one with another version, as far as this one is known. */
export function inTwoEras(travel: TimeTravel, era: EraVersion): InTwoEras {
  const { branch, end, now } = travel;
  return {
    eras: [branch.era, era],
    runs: [branch.spec, known(travel, era)?.spec ?? specIn(travel, era)],
    until: Math.max(end.time, now),
  };
}

/** The branch that is this run with another version; null if there is none yet. */
function known({ branch, branches }: TimeTravel, era: EraVersion): Branch | null {
  const found = branch.family.get(era);
  return found && branches.has(found) && sameDoings(found.spec, branch.spec) ? found : null;
}
function* branchInEra(travel: TimeTravel, era: EraVersion): Work {
  const { branch } = travel;
  travel.branches.mustHaveRoom();
  const made = begin(travel, era, { step: 0, seq: 0 }, travel.executionOf(specIn(travel, era)));
  const family = [...branch.family].filter(([, b]) => sameDoings(b.spec, branch.spec));
  made.family = new Map([...family, [branch.era, branch], [era, made]]);
  for (const [, b] of made.family) b.family = made.family;
  made.opening = null;
  if (branch.opened) yield* open(travel);
}
function specIn({ branch, head, timeline: { store } }: TimeTravel, era: EraVersion): RunSpec {
  return inEra(branch.spec, head.simulation, era, (uid, { after }) => {
    const state = after >= store.oldest - 1 && after <= store.last ? store.stateAt(after) : store.state;
    return state.pods[uid]?.pod ?? '';
  });
}
