/** What twins are made, held and searched with, for a session that shows both runs. */
import { LeanSimulationSession, sessionTools, simulationSource } from '../../debug/index.js';
import type { TraceRecord } from '../../trace/index.js';
import { coverageOf, decisionsOf, type HoldOptions, hold } from '../hold/index.js';
import { twinScenario } from '../make/index.js';
import { TwinSearch } from '../search/index.js';
import type { SeenFacts, TwinTools } from '../session/index.js';

/** Slices of a search between two looks at how far it is. */
const LOOK = 32;
const TRIES = 500;

export function twinTools(): TwinTools {
  const source = simulationSource();
  const options = (
    seen: readonly TraceRecord[],
    { seenFrom, until }: { readonly seenFrom: number; readonly until: number },
    { epochMicros }: Pick<SeenFacts, 'epochMicros'>,
  ): HoldOptions => ({ coverage: coverageOf(seen), seenFrom, until: seenFrom + until, epochMicros });
  return {
    make: (seen, { node, ...facts }) => twinScenario(seen, { ...facts, name: nameOf(node) }),
    decisionsOf,
    coverageOf,
    hold: (seen, twin, scenario, facts) => hold(decisionsOf(seen), decisionsOf(twin), options(seen, scenario, facts)),
    simulate: ({ name, text }, id) => new LeanSimulationSession(source, { scenario: name, text, id }, sessionTools),
    *search(seen, scenario, tries = TRIES) {
      const decisions = decisionsOf(seen);
      const search = new TwinSearch({
        twin: scenario,
        judge(records, until) {
          const held = options(seen, { ...scenario, until: Math.min(until, scenario.until) }, { epochMicros: null });
          const { same, differences } = hold(decisions, decisionsOf(records), held);
          return { agreed: same, differences };
        },
        budget: { tries },
      });
      const work = search.work();
      let next = work.next();
      for (let n = 0; !next.done; next = work.next())
        yield n++ % LOOK === 0 ? { done: search.report().tries, of: tries } : undefined;
      const { before, best, tries: tried, choices, summary, text } = next.value;
      const better = best && before && best.judged.differences.length < before.differences.length;
      return {
        chance: { tried, choices: choices.map((one) => ({ text: one.text, seq: one.seq })), text: summary },
        text: better ? text : null,
      };
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
