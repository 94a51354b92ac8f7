import { type Command, type CommandResult, SimulationSession, simulationSource } from '@syncloop/core/debug';
import { loadEras } from '@syncloop/core/kubelet';
import { beforeAll, describe, expect, it } from 'vitest';
import { STOPS, whereOf } from './stops.js';

beforeAll(() => loadEras());

/** Goes through all stops, and returns the kind of record at each and their times in order. */
function follow(scenario: string, seed: number, era: 'v1.12' | 'v1.21' | 'v1.25' | 'v1.32' | 'v1.36') {
  const session = new SimulationSession(simulationSource(), { scenario, open: true, seed });
  const run = (command: Command): CommandResult => {
    let result: CommandResult | null = null;
    session.execute(command, (r) => {
      result = r;
    });
    for (let n = 0; result === null && n < 10_000; n++) session.pump(16, () => false);
    return result ?? { ok: false, error: 'not answered' };
  };
  if (era !== 'v1.36') expect(run({ do: 'load', scenario, seed, era }).ok).toBe(true);
  let uid = '';
  const seqs: number[] = [];
  for (const stop of STOPS) {
    const result = run({ do: 'until', where: whereOf(stop, uid), within: 120e6, pace: 'fast' });
    expect(result, `${stop.id} in ${scenario}, ${era}`).toMatchObject({ ok: true, value: { met: true } });
    const record = session.store.get(session.runState().seq);
    seqs.push(record?.seq ?? 0);
    if (record?.kind === 'pod-config') uid = record.pods[0]?.uid ?? '';
  }
  return { seqs, uid };
}

describe('the stops of the tour', () => {
  it.each([
    ['hello', 1, 'v1.36'],
    ['hello', 7, 'v1.12'],
    ['hello', 2, 'v1.21'],
    ['hello', 3, 'v1.25'],
    ['hello', 4, 'v1.32'],
    ['crash-loop', 5, 'v1.36'],
    ['init-and-sidecar', 6, 'v1.36'],
    ['api-pod', 8, 'v1.36'],
  ] as const)('are in this order in the run of %s, seed %i, %s', (scenario, seed, era) => {
    const { seqs, uid } = follow(scenario, seed, era);
    expect(uid).not.toBe('');
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(new Set(seqs).size).toBe(STOPS.length);
  });
});
