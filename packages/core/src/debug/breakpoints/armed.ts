import {
  type Budget,
  type Context,
  compile,
  compileTemplate,
  type Expression,
  podMatches,
  type Template,
  uidOf,
} from '../../expression/index.js';
import type { NodeState, RecordKind, TraceRecord } from '../../trace/index.js';
import { type Matcher, matcherOf } from './match.js';
import type { Memory } from './memory.js';
import type { BreakpointSpec, Hit } from './spec.js';

/** A breakpoint made ready to run. Throws an ExpressionError if its expressions cannot be read. */
export class ArmedBreakpoint {
  readonly kinds: readonly RecordKind[] | null;
  /** It cannot be found by looking at the records alone. */
  readonly usesState: boolean;
  readonly watchesExpiries: boolean;
  /** Hits that counted so far, reported or not. */
  hits = 0;
  /** The number of times that its condition took too long, and so did not hold. */
  exhausted = 0;
  enabled: boolean;
  private readonly matcher: Matcher;
  private readonly condition: Expression | null;
  private readonly template: Template | null;

  constructor(readonly spec: BreakpointSpec) {
    this.matcher = matcherOf(spec);
    this.condition = spec.condition === undefined ? null : compile(spec.condition);
    this.template = spec.log === undefined ? null : compileTemplate(spec.log);
    this.kinds = this.matcher.kinds;
    this.watchesExpiries = this.matcher.expiries !== undefined;
    this.usesState =
      this.matcher.usesState ||
      spec.pod !== undefined ||
      (this.condition?.usesState ?? false) ||
      (this.template?.usesState ?? false);
    this.enabled = spec.enabled ?? true;
  }

  /** True if a breakpoint for one hit has had it. */
  get done(): boolean {
    const { once, hitCount } = this.spec;
    if (once && this.hits >= this.firstHit) return true;
    return hitCount !== undefined && 'at' in hitCount && this.hits >= hitCount.at;
  }
  private get firstHit(): number {
    const { hitCount } = this.spec;
    return hitCount === undefined ? 1 : 'at' in hitCount ? hitCount.at : hitCount.every;
  }

  /**
   * Adds what of it is met by the record, without regard to counts. `state` is that right after the record; `budget` is
   * what its expressions may do, by default as much as one that is alone.
   */
  find(record: TraceRecord, state: NodeState, memory: Memory, out: Hit[], budget?: Budget): void {
    const { kinds } = this;
    if ((kinds === null || kinds.includes(record.kind)) && this.matcher.matches(record, state, memory))
      this.add({ record, state }, out, budget);
    if (memory.expired.length > 0) this.findExpired(record, state, memory, out, budget);
  }

  findExpired(record: TraceRecord, state: NodeState, memory: Memory, out: Hit[], budget?: Budget): void {
    for (const expiry of memory.expired)
      if (this.matcher.expiries?.(expiry)) this.add({ record, state, uid: expiry.uid }, out, budget);
  }

  private add(context: Context, out: Hit[], budget?: Budget): void {
    const { record, state } = context;
    const { id, pod } = this.spec;
    if (pod !== undefined && !isOfPod(context, pod)) return;
    if (this.condition) {
      const { holds, exhausted } = this.condition.outcome(context, budget);
      if (exhausted) this.exhausted++;
      if (!holds) return;
    }
    const uid = context.uid ?? (this.usesState ? uidOf(record, state) : ownUid(record));
    const hit = { id, seq: record.seq, uid };
    out.push(
      this.template ? { ...hit, pause: false, text: this.template.text(context, budget) } : { ...hit, pause: true },
    );
  }

  /** Counts one more hit; returns true if it is one to report. */
  count(): boolean {
    if (this.done) return false;
    this.hits++;
    const { hitCount } = this.spec;
    if (hitCount === undefined) return true;
    return 'at' in hitCount ? this.hits === hitCount.at : this.hits % hitCount.every === 0;
  }
}

function isOfPod({ record, state, uid }: Context, wanted: string): boolean {
  if (uid === undefined && (record.kind === 'pod-config' || record.kind === 'source'))
    return record.pods.some((p) => podMatches(p, wanted, state));
  const of = uid ?? uidOf(record, state);
  if (of === '') return false;
  const view = Object.hasOwn(state.pods, of) ? state.pods[of] : undefined;
  const own = 'pod' in record && typeof record.pod === 'string' && uid === undefined ? record.pod : '';
  return podMatches({ uid: of, pod: view?.pod || own }, wanted, state);
}

const ownUid = (record: TraceRecord): string => ('uid' in record && typeof record.uid === 'string' ? record.uid : '');
