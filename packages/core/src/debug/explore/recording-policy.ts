import { type Choice, type Deviation, type Policy, seeded } from '../../kernel/index.js';
import type { Decisions } from '../../trace/index.js';
import type { ChoicePoint } from './types.js';

/** Picks an index into a choice's options; `base` is what the base policy picks. */
export type Chooser = (choice: Choice, base: number) => number;

/**
 * Lets a chooser choose everywhere, and notes where that differs from the base policy: `deviating(noted, seeded(seed))`
 * is the same run. A goroutine that could go on stands first in line, so passing it over is preemption.
 */
export class RecordingPolicy implements Policy {
  readonly name: string;
  readonly choosesGoroutines = true;
  readonly preempts = false;
  readonly deviations: Deviation[] = [];
  /** The name of the channel or goroutine that each deviation takes. */
  readonly names: string[] = [];
  readonly points: ChoicePoint[] = [];
  private readonly base: Policy;

  constructor(
    seed: number,
    private readonly chooser: Chooser,
  ) {
    this.base = seeded(seed);
    this.name = `explored from ${this.base.name}`;
  }

  choose(choice: Choice): number {
    const { kind, decision } = choice;
    const base = kind === 'select' ? (this.base.choose(choice) as number) : 0;
    const taken = this.chooser(choice, base);
    const options = kind === 'select' ? choice.options : choice.options.map((o) => o.id);
    this.points.push({ decision, kind, options, taken, base });
    if (taken !== base) {
      this.deviations.push(deviationOf(kind, decision, options[taken] as number));
      this.names.push((kind === 'select' ? choice.names[taken] : choice.options[taken]?.name) ?? '');
    }
    return taken;
  }
}

export function deviationOf(kind: ChoicePoint['kind'], decision: Decisions, option: number): Deviation {
  return kind === 'select' ? { decision, case: option } : { decision, goroutine: option };
}

/**
 * Chooses as these deviations say, and leaves what comes later than decision `after` to `otherwise`, the rest to the
 * base.
 */
export function follow(deviations: readonly Deviation[], otherwise?: Chooser, after = 0): Chooser {
  const byDecision = new Map<number, { goroutine?: number; case?: number }>();
  for (const { decision, ...d } of deviations) byDecision.set(decision, { ...byDecision.get(decision), ...d });
  return (choice, base) => {
    const d = byDecision.get(choice.decision);
    if (d) {
      const index =
        choice.kind === 'select'
          ? choice.options.indexOf(d.case ?? -1)
          : choice.options.findIndex((o) => o.id === d.goroutine);
      if (index >= 0) return index;
    }
    return choice.decision > after && otherwise ? otherwise(choice, base) : base;
  };
}
