import { type Choice, Random } from '../../kernel/index.js';
import type { Chooser } from './recording-policy.js';

/**
 * With probability `preemption`, a random goroutine other than the first one runs. At a select, the base's case is
 * taken half of the time, and a random one otherwise.
 */
export function randomChooser(seed: number, preemption: number): Chooser {
  const random = new Random(seed);
  return (choice, base) => {
    const n = choice.options.length;
    if (choice.kind === 'select') return random.float() < 0.5 ? base : random.below(n);
    return random.float() < preemption ? 1 + random.below(n - 1) : base;
  };
}

/**
 * The number of times in a row that one goroutine may win before it gets the lowest priority: a goroutine that only
 * yields would otherwise keep the others from running.
 */
const patience = 200;

/**
 * Gives goroutines random priorities, and lowers the highest one at `changes` random points among the first `length`
 * choices of goroutines. As in Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding
 * Bugs".
 */
export function pctChooser(seed: number, changes: number, length: number): Chooser {
  const random = new Random(seed);
  const priorities = new Map<number, number>();
  const at = new Set<number>();
  for (let i = 0; i < changes; i++) at.add(1 + random.below(Math.max(1, length)));
  let seen = 0;
  let lowest = 0;
  let last = 0;
  let inARow = 0;
  const first = (choice: Choice & { kind: 'goroutine' }) => {
    let best = 0;
    let highest = Number.NEGATIVE_INFINITY;
    choice.options.forEach(({ id }, i) => {
      const p = priorities.get(id) ?? random.float();
      priorities.set(id, p);
      if (p > highest) {
        highest = p;
        best = i;
      }
    });
    return best;
  };
  const fallsBehind = (id: number) => priorities.set(id, --lowest);
  return (choice) => {
    if (choice.kind === 'select') return random.below(choice.options.length);
    seen++;
    let best = first(choice);
    const idOf = (i: number) => choice.options[i]?.id as number;
    inARow = idOf(best) === last ? inARow + 1 : 0;
    if (at.has(seen) || inARow >= patience) {
      fallsBehind(idOf(best));
      best = first(choice);
      inARow = 0;
    }
    last = idOf(best);
    return best;
  };
}
