import type { Kernel } from '../../kernel/index.js';
import type { RegistryBehaviour } from '../images/types.js';

/** The ways in which a registry can fail to serve an image. */
export const pullAnswers = [
  'not-found',
  'unauthorized',
  'refused',
  'timeout',
  'too-many-requests',
  'no-such-host',
  'hang',
] as const satisfies readonly Exclude<RegistryBehaviour['kind'], 'serve'>[];
export type PullAnswer = (typeof pullAnswers)[number];

/** The pulls that fail, and their failure. */
export interface PullRule {
  /** Shown in the trace. Default: pull. */
  readonly name?: string;
  readonly answer: PullAnswer;
  /** Reference, whole or as it is in a pod. Default: all images. */
  readonly image?: string;
  /** The number of pulls. Default: all. */
  readonly times?: number;
}

/** A rule that makes registries answer differently for a while. The first rule that matches decides. */
export class PullFaults {
  private readonly active: { readonly rule: PullRule; hits: number; readonly struck?: () => void }[] = [];
  constructor(private readonly kernel: Kernel) {}

  /** Activates a rule; the returned function removes it. `struck` is called for each pull that it hits. */
  add(rule: PullRule, struck?: () => void): () => void {
    const fault = { rule, hits: 0, ...(struck && { struck }) };
    this.active.push(fault);
    return () => {
      const i = this.active.indexOf(fault);
      if (i >= 0) this.active.splice(i, 1);
    };
  }

  /** Returns the failure of this pull, null if no fault hits it; counts, and leaves a `fault` record. */
  decide(names: readonly string[]): PullAnswer | null {
    for (const fault of this.active) {
      const { rule } = fault;
      if (rule.image !== undefined && !names.includes(rule.image)) continue;
      if (rule.times !== undefined && fault.hits >= rule.times) continue;
      fault.hits++;
      fault.struck?.();
      this.kernel.emit({
        kind: 'fault',
        rule: rule.name ?? 'pull',
        method: 'PullImage',
        effect: `the registry answers: ${rule.answer}`,
      });
      return rule.answer;
    }
    return null;
  }
}
