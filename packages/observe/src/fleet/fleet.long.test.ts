import { describe, expect, it } from 'vitest';
import { type CauseName, causeNames, fleetLogs, type Planted } from '../testing/fleet-logs.mjs';
import { readMade } from '../testing/read-fleet.js';
import { fleetStory, type SharedCause } from './index.js';

const runs = Number(process.env.SYNCLOOP_RUNS ?? 20);
/** The API server's cause and the evictions may be named by what is next to them. */
const KINDS: { readonly [kind: string]: readonly string[] } = {
  eviction: ['eviction', 'pressure'],
  'api-unreachable': ['api-unreachable', 'lease'],
};

/** The share of a planted cause's nodes that a cause has, if it is that one; it may have no other nodes. */
function foundOf(cause: SharedCause, truth: Planted): number {
  const same = cause.rule === truth.rule && (KINDS[truth.kind] ?? [truth.kind]).includes(cause.kind);
  if (!same || (truth.key !== '' && cause.key !== truth.key)) return 0;
  const hit = cause.nodes.filter((name) => truth.nodes.includes(name)).length;
  return hit / Math.max(truth.nodes.length, cause.nodes.length);
}
function judged(seed: number, causes: readonly CauseName[], nodes: number) {
  const made = fleetLogs({ seed, causes, nodes, quiet: 120 });
  const story = fleetStory(made.nodes.map(readMade), 'test');
  const found = made.planted.map((truth) => Math.max(0, ...story.causes.map((cause) => foundOf(cause, truth))));
  const alarms = story.causes.filter((cause) => made.planted.every((truth) => foundOf(cause, truth) < 0.4));
  return { made, story, found, alarms };
}

describe('shared causes of generated fleets', () => {
  it('are found, each with its nodes, and nothing else is', () => {
    const shares: number[] = [];
    const missed: string[] = [];
    const alarms: string[] = [];
    for (let seed = 1; seed <= runs; seed++) {
      // Three causes of seven, in turn.
      const causes = [0, 2, 5].map((i) => causeNames[(seed + i) % causeNames.length] as CauseName);
      const one = judged(seed, causes, 8 + (seed % 9));
      shares.push(...one.found);
      one.found.forEach((share, i) => {
        if (share < 0.6) missed.push(`${seed}: ${JSON.stringify(one.made.planted[i])} ${share.toFixed(2)}`);
      });
      alarms.push(...one.alarms.map(({ text, nodes }) => `${seed}: ${text.en} ${nodes.join()}`));
    }
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    process.stdout.write(
      `# ${runs} fleets: ${shares.length - missed.length} of ${shares.length} causes found, ${(100 * mean).toFixed(1)} % of their nodes, ${alarms.length} false alarms\n`,
    );
    expect({ missed, alarms }).toEqual({ missed: [], alarms: [] });
    expect(mean).toBeGreaterThan(0.9);
  });

  it('are not found where each node has its own troubles', () => {
    const alarms: string[] = [];
    let troubles = 0;
    for (let seed = 101; seed <= 100 + Math.ceil(runs / 2); seed++) {
      const { made, story } = judged(seed, [], 12);
      troubles += made.noise;
      alarms.push(...story.causes.map(({ text, nodes }) => `${seed}: ${text.en} ${nodes.join()}`));
    }
    expect(troubles).toBeGreaterThan(runs);
    expect(alarms).toEqual([]);
  });

  it('do not depend on the order of the nodes', () => {
    const nodes = fleetLogs({ seed: 7, causes: ['api', 'landing'], nodes: 8, quiet: 60 }).nodes.map(readMade);
    const story = JSON.stringify(fleetStory(nodes, 'test'));
    expect(JSON.stringify(fleetStory([...nodes].reverse(), 'test'))).toBe(story);
    const { moves } = JSON.parse(story) as ReturnType<typeof fleetStory>;
    expect(moves.length).toBeGreaterThan(2);
  });

  it('are aligned by clocks that were estimated to about a second', () => {
    for (let seed = 1; seed <= 4; seed++)
      for (const made of fleetLogs({ seed, nodes: 10, quiet: 30, noise: 0 }).nodes) {
        const { clock } = readMade(made);
        const { ahead = 0, uncertainty = 0 } = clock ?? {};
        expect(Math.abs(ahead - made.ahead), `${seed} ${made.name} ${made.ahead} ${ahead}`).toBeLessThanOrEqual(
          uncertainty + 500,
        );
      }
  });
});
