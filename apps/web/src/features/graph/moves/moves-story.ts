/** The Loop's moves on the Story's ring: the same records travel, along fewer and longer wires. */
import type { StoryLayout } from '../geometry/geometry-story.js';
import type { Move } from './moves.js';

const ON_RING: readonly (readonly [RegExp, string])[] = [
  [/-podConfig$|^podConfig-configCh$/, 'desired-inputs'],
  [/^(pleg-plegCh|probes-)/, 'pleg-inputs'],
  [/^select-/, 'choice-handler'],
  [/-select$/, 'inputs-choice'],
  [/^update-/, 'handler-workers'],
  [/^(call|return)-/, 'workers-node'],
  [/^(node-cri|node-probes)$/, 'node-pleg'],
  [/^workers-status$/, 'workers-status'],
  [/^status-api<?$/, 'status-desired'],
];

/** Returns a move of the Loop as the Story shows it; null for one within one of its boxes. */
export function onRing(move: Move, layout: StoryLayout): Move | null {
  const id = ON_RING.find(([test]) => test.test(move.key))?.[1];
  const wire = id && layout.wires.find((w) => w.id === id);
  if (!wire) return null;
  const back = move.key.startsWith('return-') || move.key.endsWith('<');
  return {
    ...move,
    key: back ? `${wire.id}<` : wire.id,
    points: back ? [...wire.points].reverse() : wire.points,
  };
}
