import { type Go, gosched, Kernel, makeChan, send } from '../../../kernel/index.js';
import type { Start } from '../types.js';

/** A goroutine's steps, between which others may go; what a step returns is in its record. */
export type Toy<S> = readonly ((state: S) => number | string | undefined)[];

export interface ToyOptions<S> {
  /** Says at the end what is wrong. */
  readonly check?: (state: S) => string | null;
  /** After each step the others go first. Else it goes on unless it is preempted. */
  readonly polite?: boolean;
}

/** Goroutines over shared memory as a subject. Each step leaves a record. */
export function toyStart<S>(make: () => S, goroutines: readonly Toy<S>[], options: ToyOptions<S> = {}): Start {
  return ({ policy, sink }) => {
    const kernel = new Kernel({ policy, sink });
    const state = make();
    goroutines.forEach((steps, i) => {
      const own = makeChan<number>(kernel, `own ${i}`, steps.length);
      kernel.go(`g${i}`, function* (): Go<void> {
        for (const [n, step] of steps.entries()) {
          if (n > 0) yield* options.polite ? gosched() : send(own, n);
          kernel.emit({ kind: 'input', verb: `g${i}`, args: [n, step(state) ?? null] });
        }
      });
    });
    const done = () => kernel.goroutines.size === 0;
    return {
      kernel,
      get done() {
        return done();
      },
      podOf: () => undefined,
      get failures() {
        const text = done() ? (options.check?.(state) ?? null) : null;
        return text === null ? [] : [{ name: 'end', text }];
      },
    };
  };
}

export interface Counter {
  x: number;
  readonly seen: number[];
}
/** Reads, lets others go, and writes one more than it read: an update is lost when two overlap. */
export const increment = (i: number): Toy<Counter> => [
  (s) => {
    s.seen[i] = s.x;
    return s.x;
  },
  (s) => {
    s.x = (s.seen[i] as number) + 1;
    return s.x;
  },
];
