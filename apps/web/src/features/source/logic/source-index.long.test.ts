import { findScenario, library, startScenario } from '@syncloop/core/scenario';
import { describe, expect, it } from 'vitest';
import { ownSources } from '../../../fixtures/own-sources.js';

/**
 * The named calls and steps of the library's runs of today's kubelet; the node that is full has many of the same.
 */
const entered = new Set<string>();
const made = new Set<string>();
for (const scenario of library.map(({ name }) => findScenario(name)))
  if (scenario.name !== 'full-node' && scenario.era === undefined)
    startScenario(scenario, {
      sink: (r) => {
        if (r.kind === 'enter') entered.add(r.fn);
        else if (r.kind === 'step') made.add(`${r.fn}/${r.name}`);
      },
    }).run();

describe('our own sources', () => {
  const { functions, steps } = ownSources.index;
  it('are indexed for every named call of these runs, each with its twin in Kubernetes or said to have none', () => {
    expect(entered.size).toBeGreaterThan(55);
    const at = (fn: string) => (Object.hasOwn(functions, fn) ? functions[fn] : undefined);
    expect([...entered].filter((fn) => !at(fn))).toEqual([]);
    expect([...entered].filter((fn) => !at(fn)?.upstream && !at(fn)?.ours)).toEqual([]);
  });
  it('are indexed for every step of these runs', () => {
    const known = new Set(steps.map((s) => `${s.fn}/${s.name}`));
    expect(made.size).toBeGreaterThan(30);
    expect([...made].filter((s) => !known.has(s))).toEqual([]);
  });
});
