import { GrpcCode, type GrpcCodeName, type RpcMethod, rpcs } from '../../cri/index.js';
import type { Kernel } from '../../kernel/index.js';
import { currentOrNull, Random } from '../../kernel/index.js';

/**
 * The effect of a fault on a call. Times in Micros. `before`: instead of doing it; `after`: it is done, but the answer
 * is lost.
 */
export type FaultEffect =
  | {
      readonly kind: 'error';
      readonly code: GrpcCodeName;
      readonly message: string;
      readonly when?: 'before' | 'after';
    }
  /** `jitter`: part of it that varies, 0 to 1. */
  | { readonly kind: 'delay'; readonly duration: number; readonly jitter?: number }
  /** Never answers: the caller's deadline ends it. `when: 'after'`: it is done first. */
  | { readonly kind: 'hang'; readonly when?: 'before' | 'after' };

/** The calls that a fault hits. */
export interface FaultRule {
  /** Shown in the trace; default: made of the method and effect. */
  readonly name?: string;
  /** `StartContainer` or `startContainer`; `*` for all. */
  readonly method: string;
  /** Pod name (with or without the `-node` suffix), `namespace/name` or uid. */
  readonly pod?: string;
  readonly container?: string;
  /** Image reference, for image calls. */
  readonly image?: string;
  /** Only calls made within a function of that name, on the caller's stack: Relist. */
  readonly within?: string;
  /** The first matching call that is hit, counted from 1. Default 1. */
  readonly nth?: number;
  /** The number of calls that are hit. Default: all. */
  readonly times?: number;
  /** 0 to 1; drawn from the injector's own random numbers. Default 1. */
  readonly probability?: number;
  readonly effect: FaultEffect;
}

/** The subject of a call, as far as the runtime knows it. */
export interface FaultSubject {
  readonly method: RpcMethod;
  readonly uid?: string;
  readonly pod?: string;
  readonly namespace?: string;
  readonly container?: string;
  readonly image?: string;
}

/** An active rule. */
export interface ActiveFault {
  readonly id: number;
  readonly rule: FaultRule;
  /** Calls that matched so far, and those that were hit. */
  matched: number;
  hits: number;
}

interface PodSubject {
  readonly uid?: string;
  readonly pod?: string;
  readonly namespace?: string;
}

/**
 * Returns the names that people may write for a pod: its uid, its name, `namespace/name`, or its name without the
 * node's suffix. None if there is no pod.
 */
export function podNames({ uid, pod, namespace }: PodSubject, nodeName = ''): readonly string[] {
  if (pod === undefined) return [];
  const short = nodeName && pod.endsWith(`-${nodeName}`) ? pod.slice(0, -nodeName.length - 1) : pod;
  const names = [pod, short, `${namespace}/${pod}`, `${namespace}/${short}`];
  return uid === undefined ? names : [uid, ...names];
}

/** Returns true if a name that people write means this pod. */
export const podMatches = (wanted: string, subject: PodSubject, nodeName = ''): boolean =>
  podNames(subject, nodeName).includes(wanted);

/** Faults of the runtime, as rules over its calls. The first rule that hits decides. */
export class FaultInjector {
  private readonly active: ActiveFault[] = [];
  private nextId = 1;
  private readonly random: Random;

  constructor(
    private readonly kernel: Kernel,
    private readonly nodeName: string,
    seed = 1,
  ) {
    this.random = new Random(seed);
  }

  /**
   * Activates a rule; the returned function removes it. Throws a TypeError on a method or code that does not
   * exist.
   */
  add(rule: FaultRule): () => void {
    if (rule.method !== '*' && !methodNamed(rule.method))
      throw new TypeError(`fault: there is no CRI method '${rule.method}'`);
    if (rule.effect.kind === 'error' && !(rule.effect.code in GrpcCode))
      throw new TypeError(`fault: there is no gRPC code '${rule.effect.code}'`);
    const fault: ActiveFault = { id: this.nextId++, rule, matched: 0, hits: 0 };
    this.active.push(fault);
    return () => {
      const i = this.active.indexOf(fault);
      if (i >= 0) this.active.splice(i, 1);
    };
  }
  clear(): void {
    this.active.length = 0;
  }
  get rules(): readonly ActiveFault[] {
    return this.active;
  }

  /** The effect on this call, if any; counts, and leaves a `fault` record. */
  decide(subject: FaultSubject): FaultEffect | null {
    for (const fault of this.active) {
      const { rule } = fault;
      if (rule.method !== '*' && methodNamed(rule.method) !== subject.method) continue;
      if (rule.pod !== undefined && !podMatches(rule.pod, subject, this.nodeName)) continue;
      if (rule.container !== undefined && rule.container !== subject.container) continue;
      if (rule.image !== undefined && rule.image !== subject.image) continue;
      if (rule.within !== undefined && !currentOrNull()?.g.frames.some((f) => f.fn === rule.within)) continue;
      fault.matched++;
      const nth = rule.nth ?? 1;
      if (fault.matched < nth || (rule.times !== undefined && fault.hits >= rule.times)) continue;
      if (rule.probability !== undefined && this.random.float() >= rule.probability) continue;
      fault.hits++;
      this.record(
        rule.name ?? `${rule.method} ${rule.effect.kind}`,
        rpcs[subject.method].name,
        describeEffect(rule.effect),
      );
      return this.drawn(rule.effect);
    }
    return null;
  }

  private drawn(effect: FaultEffect): FaultEffect {
    if (effect.kind !== 'delay' || !effect.jitter) return effect;
    const duration = Math.round(effect.duration * (1 + effect.jitter * (2 * this.random.float() - 1)));
    return { kind: 'delay', duration };
  }

  /** Leaves a `fault` record for something that is not about one call. */
  record(rule: string, method: string, effect: string): void {
    this.kernel.emit({ kind: 'fault', rule, method, effect });
  }
}

/** A method by its name on the wire or in the interface. */
export function methodNamed(name: string): RpcMethod | null {
  const lower = name.charAt(0).toLowerCase() + name.slice(1);
  return lower in rpcs ? (lower as RpcMethod) : null;
}

function describeEffect(e: FaultEffect): string {
  switch (e.kind) {
    case 'error':
      return `${e.code}: ${e.message}${e.when === 'after' ? ' (after it was done)' : ''}`;
    case 'delay':
      return `delay ${e.duration / 1e6}s${e.jitter ? ` give or take ${e.jitter * 100} %` : ''}`;
    case 'hang':
      return e.when === 'after' ? 'done, but no answer' : 'no answer';
  }
}
