import type { Decisions } from '../trace/index.js';
import { Random } from './random.js';

/**
 * A point where a run could go more than one way. `options` is always more than one. `decision`: its number, from 1
 * (`Kernel.steps` after it).
 */
export type Choice =
  | {
      readonly kind: 'goroutine';
      readonly decision: Decisions;
      readonly options: readonly { id: number; name: string }[];
    }
  /** `options` are the ready cases' positions in the select, `names` their channels. */
  | {
      readonly kind: 'select';
      readonly decision: Decisions;
      readonly g: number;
      readonly options: readonly number[];
      readonly names: readonly string[];
    };

/**
 * A choice settled before it comes up: the next select with several ready cases takes this channel, or the next time
 * that there is a choice this goroutine goes.
 */
export type WantedChoice = { readonly select: string } | { readonly goroutine: string };

/**
 * Decides at choice points: an index into `options`, or null to ask (the kernel then stands still until
 * `kernel.choose`).
 */
export interface Policy {
  readonly name: string;
  choose(choice: Choice): number | null;
  /**
   * False: goroutines go first come first served, and are not a choice point. A set: they are one at these decisions
   * only.
   */
  readonly choosesGoroutines: boolean | ReadonlySet<number>;
  /** True: after each operation that did not block, another goroutine may go. */
  readonly preempts: boolean;
}

/** Always the first: goroutines in the order they became runnable, cases in source order. */
export function fifo(): Policy {
  return { name: 'fifo', choosesGoroutines: false, preempts: false, choose: () => 0 };
}

export interface SeededOptions {
  /** Also the goroutine that goes next is drawn; else only select cases, as in Go. */
  readonly goroutines?: boolean;
  readonly preempts?: boolean;
}

/** Draws uniformly among the options: select as Go's, and with `goroutines` any legal schedule. */
export function seeded(seed: number, options: SeededOptions = {}): Policy {
  const random = new Random(seed);
  return {
    name: `seeded(${seed})`,
    choosesGoroutines: options.goroutines ?? false,
    preempts: options.preempts ?? false,
    choose: (choice) => random.below(choice.options.length),
  };
}

/**
 * Replays `choices`, then goes on with `after` (fifo unless given). A choice out of range is an error: the script
 * belongs to another run.
 */
export function scripted(choices: readonly number[], after: Policy = fifo()): Policy {
  let at = 0;
  return {
    name: 'scripted',
    choosesGoroutines: after.choosesGoroutines,
    preempts: after.preempts,
    choose(choice) {
      if (at >= choices.length) return after.choose(choice);
      const n = choices[at] as number;
      if (!(n >= 0 && n < choice.options.length))
        throw new RangeError(
          `scripted policy: choice ${at} is ${n}, but this point has ${choice.options.length} options; the script was made for another run`,
        );
      at++;
      return n;
    },
  };
}

/**
 * Asks: the kernel stops at each choice of the kinds given until somebody answers with `kernel.choose`; the rest goes
 * to `otherwise`.
 */
export function asked(kinds: readonly Choice['kind'][] = ['goroutine', 'select'], otherwise: Policy = fifo()): Policy {
  return {
    name: 'asked',
    choosesGoroutines: kinds.includes('goroutine') || otherwise.choosesGoroutines,
    preempts: otherwise.preempts,
    choose: (choice) => (kinds.includes(choice.kind) ? null : otherwise.choose(choice)),
  };
}

/**
 * A choice that differs from the policy's: at that decision this goroutine goes on (by id), or this ready
 * case is taken (its position in the select).
 */
export interface Deviation {
  readonly decision: Decisions;
  readonly goroutine?: number;
  readonly case?: number;
}

/**
 * Returns a policy like `base`, but for the deviations. One that is not possible at its decision is passed over, so any
 * part of a list of deviations is a schedule, too. `base` draws at every choice as if there were none.
 */
export function deviating(deviations: readonly Deviation[], base: Policy): Policy {
  const byDecision = new Map<number, { goroutine?: number; case?: number }>();
  const goroutines = new Set<number>();
  for (const { decision, ...d } of deviations) {
    byDecision.set(decision, { ...byDecision.get(decision), ...d });
    if (d.goroutine !== undefined) goroutines.add(decision);
  }
  return {
    name: `${base.name} with ${deviations.length} deviations`,
    choosesGoroutines: base.choosesGoroutines === false ? goroutines : true,
    preempts: base.preempts,
    choose(choice) {
      const { kind, decision } = choice;
      const drawn = kind === 'goroutine' && !choosesGoroutinesAt(base, decision) ? 0 : base.choose(choice);
      const d = byDecision.get(decision);
      const index =
        kind === 'goroutine'
          ? choice.options.findIndex((o) => o.id === d?.goroutine)
          : choice.options.indexOf(d?.case ?? -1);
      return index < 0 ? drawn : index;
    },
  };
}

/** Returns true if goroutines are a choice point for `policy` at a decision. */
export function choosesGoroutinesAt({ choosesGoroutines: c }: Policy, decision: Decisions): boolean {
  return typeof c === 'boolean' ? c : c.has(decision);
}
