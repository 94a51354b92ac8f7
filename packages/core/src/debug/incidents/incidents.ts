import type { Micros, Seq, TraceRecord } from '../../trace/index.js';
import { innermost } from '../findings/innermost.js';
import { nodesText, shareText } from '../findings/share.js';
import type { Moment, Overview } from '../findings/types.js';
import { assemble } from './assemble.js';
import { classify, isHarmless, isOfStart } from './errors.js';
import { hasRule, signsOf } from './rules.js';
import type { Sign } from './sign.js';
import { IncidentState } from './state.js';
import type { IncidentsAnswer, ReadShare } from './types.js';

/** A line of lower severity that reports a failure, too: kubelets differ in what is an error. */
const FAILS = /^(unable to|failed to|error |could not|cannot )|failed:/i;
const RUNTIME_STATUS = 'Container runtime status';
/** Lines of errors that wait whether a record will rest on them. */
const WAITING = 256;
/** Kinds of unknown errors that are counted apart. */
const MOST_UNKNOWN = 500;
const SHOWN_UNKNOWN = 5;

interface Unknown {
  readonly what: string;
  count: number;
  readonly first: Moment;
}

/** False for a record of which no incident quotes anything: most lines, and the kinds that no rule looks at. */
export const isQuoted = (record: TraceRecord): boolean =>
  record.kind === 'log'
    ? record.severity === 'E' || FAILS.test(record.msg) || record.msg === RUNTIME_STATUS
    : hasRule(record.kind);

/** Takes the records of a run, one after the other, and makes incidents of the troubles that they report. */
export class Incidents {
  private readonly state = new IncidentState();
  private observed = false;
  /** The part of the time that counts; what happens before and after it only says which pods there are. */
  window: { readonly from: Micros; readonly to: Micros } | null = null;
  private waiting = new Map<Seq, TraceRecord & { readonly kind: 'log' }>();
  private readonly unknown = new Map<string, Unknown>();
  private unknownCount = 0;
  private lastSeq: Seq = 0;
  private lastTime: Micros = 0;
  private read: ReadShare | null = null;
  /** The answer as long as no other record comes. */
  private answer: IncidentsAnswer | null = null;

  /** @param quoted what {@link isQuoted} says of it, for a caller who has asked already */
  take(record: TraceRecord, quoted = isQuoted(record)): void {
    const { kind, seq, time, basis } = record;
    this.answer = null;
    this.state.from ??= time;
    this.lastSeq = seq;
    if (time > this.lastTime) this.lastTime = time;
    // That a kubelet runs follows from its first line, whatever the line says.
    if (basis && kind !== 'process' && this.waiting.size > 0) for (const at of basis) this.waiting.delete(at);
    if (kind === 'evidence-source') this.observed = true;
    if (!quoted) return;
    if (record.kind === 'log') {
      this.waiting.set(seq, record);
      if (this.waiting.size > WAITING) {
        const [oldest] = this.waiting.values();
        if (oldest) this.settle(oldest);
      }
      return;
    }
    for (const sign of signsOf(record, this.state)) this.add(record, sign);
  }
  private add(record: TraceRecord, sign: Sign): void {
    const { from, to } = this.window ?? { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
    if (sign.kind === 'starting' && !sign.healed) this.state.startSeen(record);
    if (record.time >= from && record.time <= to) this.state.problems.add(record, this.state.identified(sign));
  }

  /** How much of the lines was read, if the run is observed. */
  know(overview: Pick<Overview, 'lines' | 'unread' | 'programs' | 'nodes' | 'elsewhere'>): void {
    this.answer = null;
    const { lines, unread, programs } = overview;
    const kubelet = programs.find(({ program }) => program === 'kubelet');
    const texts = [shareText(overview), nodesText(overview)].filter((text) => text !== null);
    if (programs.length === 0) this.read = { lines, unread, texts };
    else this.read = { lines: kubelet?.lines ?? 0, unread: kubelet ? kubelet.lines - kubelet.read : 0, texts };
  }

  list(): IncidentsAnswer {
    if (this.answer) return this.answer;
    for (const record of this.waiting.values()) this.settle(record);
    const some = [...this.unknown.values()]
      .sort((a, b) => b.count - a.count || a.first.seq - b.first.seq)
      .slice(0, SHOWN_UNKNOWN);
    const to = { seq: this.lastSeq, time: this.lastTime };
    this.answer = {
      incidents: assemble(this.state, to.time),
      unknown: { count: this.unknownCount, some },
      more: this.state.problems.more,
      from: this.state.begin,
      to,
      observed: this.observed,
      read: this.read ?? { lines: 0, unread: 0, texts: [] },
    };
    return this.answer;
  }

  /** A line of an error on which no record rests: its words say what it is, or nobody knows. */
  private settle(record: TraceRecord & { readonly kind: 'log' }): void {
    this.waiting.delete(record.seq);
    // Another program's line is not evidence of the kubelet's troubles.
    if (!/\.go(:|$)/.test(record.file)) return;
    const { err, error, status } = record.kv;
    const why = [err, error, status].find((one) => typeof one === 'string' && one !== '') ?? '';
    const text = why === '' ? record.msg : `${record.msg}: ${String(why)}`;
    if (isOfStart(text) || isHarmless(text)) return;
    if (CANNOT_START.test(text)) {
      this.add(record, { kind: 'kubelet-not-starting', what: String(why || text).slice(0, 500) });
      return;
    }
    const found = classify(text);
    if (found && GENERAL.has(found.kind)) {
      const sign: Sign = {
        kind: found.kind,
        what: innermost(text).slice(0, 500),
        ...(found.reason && { facts: { reason: found.reason } }),
      };
      this.add(record, sign);
      return;
    }
    if (record.severity !== 'E') return;
    const kind = text.replace(/0x[0-9a-f]+|[0-9a-f]{8,}|\d+/g, '#').slice(0, 200);
    this.unknownCount++;
    const known = this.unknown.get(kind);
    if (known) known.count++;
    else if (this.unknown.size < MOST_UNKNOWN)
      this.unknown.set(kind, { what: text.slice(0, 300), count: 1, first: { seq: record.seq, time: record.time } });
  }
}

/** The last words of a kubelet that gives up its start. */
const CANNOT_START = /^(command failed|failed to run kubelet|Failed to (load|parse|validate) kubelet)/i;
/** The kinds that a line can show without naming a pod. */
const GENERAL: ReadonlySet<string> = new Set([
  'disk-full',
  'runtime-down',
  'runtime-slow',
  'certificate-invalid',
  'api-refused',
  'api-unreachable',
  'network-not-ready',
  'node-not-registered',
  'sources',
]);
