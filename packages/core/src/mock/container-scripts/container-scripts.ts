import type { Kernel } from '../../kernel/index.js';
import type { ProbeType } from '../../trace/index.js';
import { probing } from '../faults/probe-faults.js';
import { Numbered } from './numbered.js';
import { type Hook, hooking, outcomeAt } from './outcomes.js';
import type { ContainerScript, Outcome } from './types.js';

/** One container that lives as the scenario says. */
export interface LivingContainer {
  /** It may be replaced while the container runs. */
  life: ContainerScript;
  /** Its number among the containers of its pod and name, counted from 0. */
  readonly n: number;
  /** The time at which its process began, on the clock of the run. */
  began: number;
  /** Probes so far. The prober's own second and third try are the same probe. */
  readonly probes: Map<ProbeType, { seq: number; n: number }>;
}

/**
 * The scripted result of the probe or hook that calls just now. `outcome` null: the scenario gives none, and all is
 * well.
 */
export interface Asking {
  readonly what: string;
  readonly outcome: Outcome | null;
}

/** The lives that a scenario has for the containers of a node. */
export class ContainerScripts {
  private entries: Numbered<ContainerScript>;

  constructor(
    private readonly kernel: Kernel,
    lives: readonly ContainerScript[],
    private readonly nodeName: string,
  ) {
    this.entries = new Numbered(lives, nodeName);
  }

  /** Replaces the scripts. Containers that were counted stay counted. */
  replace(lives: readonly ContainerScript[]): void {
    const entries = new Numbered(lives, this.nodeName);
    entries.countOn(this.entries);
    this.entries = entries;
  }
  /** Returns the current script of a container that was created before. */
  lifeOf(
    subject: { uid: string; pod: string; namespace: string; container: string },
    { n, life }: LivingContainer,
  ): ContainerScript {
    return this.entries.at(subject, n) ?? { pod: life.pod, container: life.container };
  }

  /** Returns true if there is a script for such a container. */
  knows(subject: { uid: string; pod: string; namespace: string; container: string }): boolean {
    return this.entries.matches(subject);
  }

  /** Counts a container that was created; null: it does what its image and its command do. */
  created(subject: { uid: string; pod: string; namespace: string; container: string }): LivingContainer | null {
    const found = this.entries.next(subject);
    return found && { life: found.entry, n: found.n, began: 0, probes: new Map() };
  }

  /** Records that a container ends by itself now: what follows is caused by the scenario. */
  ends({ life, n }: LivingContainer): void {
    const how = life.oom ? 'oom' : life.signal !== undefined ? `signal ${life.signal}` : `code ${life.exits ?? 0}`;
    this.kernel.emitCause({ kind: 'input', verb: 'life', args: [life.pod, life.container, n, how] });
  }

  /** Returns the scripted result of the caller's probe or hook; null if neither a probe nor a hook calls. */
  asked(container: LivingContainer): Asking | null {
    const { life } = container;
    const probe = probing();
    if (probe) {
      const { probeType, seq } = probe;
      const outcomes = life.probes?.[probeType];
      const before = container.probes.get(probeType);
      const again = before?.seq === seq;
      const n = again ? before.n : before ? before.n + 1 : 0;
      container.probes.set(probeType, { seq, n });
      const outcome = outcomes ? outcomeAt(outcomes, n, this.kernel.now() - container.began) : null;
      if (!again) this.tell(container, `${probeType} probe`, outcome);
      return { what: probeType, outcome };
    }
    const hook: Hook | undefined = hooking()?.hook;
    if (!hook) return null;
    const outcome = life.hooks?.[hook] ?? null;
    this.tell(container, `${hook} hook`, outcome);
    return { what: hook, outcome };
  }

  /** Records that a failure has its cause in the scenario. */
  private tell({ life }: LivingContainer, what: string, outcome: Outcome | null): void {
    if (!outcome || outcome.result === 'success') return;
    const effect = outcome.result === 'hang' ? 'hangs' : 'fails';
    this.kernel.emit({ kind: 'fault', rule: 'lives', method: `${what} of ${life.pod} ${life.container}`, effect });
  }
}
