/** What twins are made, held and searched with, for a session that shows both runs. */
import { LeanSimulationSession, sessionTools, simulationSource } from '../../debug/index.js';
import { coverageOf, decisionsOf, hold, versionOf } from '../hold/index.js';
import { twinScenario } from '../make/index.js';
import { TwinSearch } from '../search/index.js';
import { judgeOf } from '../search/judge.js';
import type { TwinTools } from '../session/index.js';

/** Slices of a search between two looks at how far it is. */
const LOOK = 32;
const TRIES = 500;

export function twinTools(): TwinTools {
  const source = simulationSource();
  return {
    make: (seen, { node, ...facts }) => twinScenario(seen, { ...facts, name: nameOf(node) }),
    decisionsOf,
    coverageOf,
    hold: (seen, twin, { seenFrom, until }, { epochMicros }) =>
      hold(decisionsOf(seen), decisionsOf(twin), {
        coverage: coverageOf(seen),
        version: versionOf(seen),
        seenFrom,
        until: seenFrom + until,
        epochMicros,
      }),
    simulate: ({ name, text }, id) => new LeanSimulationSession(source, { scenario: name, text, id }, sessionTools),
    *search(seen, scenario, { epochMicros }, tries = TRIES) {
      const search = new TwinSearch({
        twin: scenario,
        judge: judgeOf(seen, scenario, epochMicros),
        budget: { tries },
      });
      const work = search.work();
      let next = work.next();
      for (let n = 0; !next.done; next = work.next())
        yield n++ % LOOK === 0 ? { done: search.report().tries, of: tries } : undefined;
      const { before, best, tries: tried, choices, summary, text } = next.value;
      const helps =
        best !== null &&
        before !== null &&
        (best.judged.differences.length < before.differences.length || best.judged.agreed > before.agreed);
      const told = helps ? choices.map((one) => ({ text: one.text, seq: one.seq })) : [];
      return { chance: { tried, choices: told, text: summary }, text: helps ? text : null };
    },
  };
}

/** A scenario's name: small letters, digits, -. */
const nameOf = (node: string): string =>
  node
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50) || 'kubelet';
