/** What twins are made, held and searched with, for a session that shows both runs. */
import { LeanSimulationSession, sessionTools, simulationSource } from '../../debug/index.js';
import { coverageOf, decisionsOf, hold } from '../hold/index.js';
import { twinScenario } from '../make/index.js';
import type { TwinTools } from '../session/index.js';

export function twinTools(): TwinTools {
  const source = simulationSource();
  return {
    make: twinScenario,
    decisionsOf,
    coverageOf,
    hold: (seen, twin, { seenFrom, until }, { epochMicros }) =>
      hold(decisionsOf(seen), decisionsOf(twin), {
        coverage: coverageOf(seen),
        seenFrom,
        until: seenFrom + until,
        epochMicros,
      }),
    simulate: (run, id) => new LeanSimulationSession(source, { ...run, id }, sessionTools),
    *search() {
      throw new Error('no search');
    },
  };
}
