import { oldestKey } from '../../base/index.js';
import type { Micros, Seq, TraceRecord } from '../../trace/index.js';
import { type Before, containersOf, type Wrong, wrongIn } from './rules.js';
import { findingText } from './sentences.js';
import {
  type FindingCode,
  type FindingsAnswer,
  findingCodes,
  MOST_MOMENTS,
  type Moment,
  type RunFinding,
} from './types.js';

/** Most findings that are kept apart; of more only the number is known. */
const MOST = 2000;
/** Pods whose past is remembered. */
const MOST_PODS = 10_000;
/** Lines whose finding may be taken back. */
const RECENT = 4096;
/** Records about the same thing within this time count as one occurrence. */
const SAME: Micros = 1e6;

interface Group {
  readonly id: string;
  readonly code: FindingCode;
  pod: string;
  uid: string;
  readonly container: string;
  what: string;
  count: number;
  readonly first: { readonly seq: Seq; readonly time: Micros };
  last: { readonly seq: Seq; readonly time: Micros };
  readonly moments: Seq[];
  longest?: Micros | undefined;
  exitCode?: number | undefined;
  concluded: boolean;
}

interface PodPast {
  name: string;
  leaving: boolean;
  /** The first container of each name, by id. */
  readonly started: Map<string, string>;
}

/** Codes of which several records tell the same: a failed sync and the back-off that it failed for. */
const TOLD_TWICE: ReadonlySet<FindingCode> = new Set<FindingCode>(['back-off', 'image', 'oom', 'killed']);

/** Takes the records of a run, one after the other, and lists what went wrong in it. */
export class Findings implements Before {
  private readonly groups = new Map<string, Group>();
  private readonly pods = new Map<string, PodPast>();
  /** Containers whose end, or whose start as another of their name, was counted. */
  private readonly ended = new Set<string>();
  /** Findings of the newest lines, by their record. */
  private readonly errorLines = new Map<Seq, string>();
  /** The starts of containers whose names no record had reported yet. */
  private readonly nameless = new Map<string, Moment>();
  private more = 0;
  private to: Seq = 0;
  starts = 0;
  observed = false;
  /** Goes up with each change of what is listed. */
  version = 0;

  take(record: TraceRecord): void {
    this.to = record.seq;
    const found = wrongIn(record, this);
    for (const wrong of found) this.add(record, wrong);
    // The line that it rests on says no more than it does.
    if (found.length > 0) for (const seq of record.basis ?? []) this.takeBack(seq);
    this.remember(record);
  }

  pod(uid: string): string {
    return this.pods.get(uid)?.name ?? '';
  }
  leaving(uid: string): boolean {
    return this.pods.get(uid)?.leaving ?? false;
  }
  counted(id: string): boolean {
    return this.ended.has(id);
  }
  restart(uid: string, container: string, id: string, here: Moment): Moment | null {
    const first = this.pods.get(uid)?.started.get(container);
    return first === undefined || first === id || this.ended.has(`restart ${id}`)
      ? null
      : (this.nameless.get(id) ?? { seq: here.seq, time: here.time });
  }

  /** The most telling first, among alike ones those that happened more often. */
  list(): FindingsAnswer {
    const rank = (g: Group) => findingCodes.indexOf(g.code);
    const findings = [...this.groups.values()]
      .filter((g) => !this.isSaidBetter(g))
      .sort((a, b) => rank(a) - rank(b) || b.count - a.count || a.first.seq - b.first.seq)
      .map(({ moments, ...group }): RunFinding => {
        const { longest, exitCode, ...rest } = group;
        const facts = {
          ...rest,
          ...(longest !== undefined && { longest }),
          ...(exitCode !== undefined && { exitCode }),
        };
        return { ...facts, moments: [...moments], text: findingText(facts) };
      });
    return { findings, more: this.more, to: this.to };
  }

  /** True if another finding says the same by name: a record has the names of the pod's containers. */
  private isSaidBetter({ code, uid }: Group): boolean {
    if (code !== 'died') return false;
    for (const other of this.groups.values())
      if (other.uid === uid && (other.code === 'crash' || other.code === 'restart')) return true;
    return false;
  }

  private add(record: TraceRecord, wrong: Wrong): void {
    const { code, container = '', what = '', once } = wrong;
    if (once !== undefined) {
      if (this.ended.has(once)) return;
      this.ended.add(once);
      if (this.ended.size > MOST_PODS) this.ended.delete(oldestKey(this.ended) as string);
    }
    const uid = wrong.uid ?? '';
    const pod = wrong.pod || this.pod(uid);
    const id = [code, pod || uid, container, wrong.alike ?? what].join('|').slice(0, 400);
    const here = wrong.at ?? { seq: record.seq, time: record.time };
    if (code === 'error-line') {
      this.errorLines.set(record.seq, id);
      if (this.errorLines.size > RECENT) this.errorLines.delete(oldestKey(this.errorLines) as Seq);
    }
    const known = this.groups.get(id);
    if (!known) {
      if (this.groups.size >= MOST) {
        this.more++;
        this.version++;
        return;
      }
      this.groups.set(id, {
        ...{ id, code, pod, uid, container, what, count: 1, first: here, last: here, moments: [here.seq] },
        ...{ longest: wrong.took, exitCode: wrong.exitCode, concluded: record.concluded === true },
      });
      this.version++;
      return;
    }
    if (wrong.took !== undefined) known.longest = Math.max(known.longest ?? 0, wrong.took);
    if (wrong.exitCode !== undefined) known.exitCode = wrong.exitCode;
    if (!record.concluded) known.concluded = false;
    known.uid ||= uid;
    this.version++;
    if (TOLD_TWICE.has(code) && record.time - known.last.time < SAME) return;
    known.count++;
    known.last = here;
    if (what !== '' && code !== 'back-off') known.what = what;
    known.moments.push(here.seq);
    if (known.moments.length > MOST_MOMENTS) known.moments.shift();
  }

  /** Removes the finding of a line of errors in which something else was found. */
  private takeBack(seq: Seq): void {
    const id = this.errorLines.get(seq);
    const group = id === undefined ? undefined : this.groups.get(id);
    this.errorLines.delete(seq);
    if (!group) return;
    group.count--;
    const at = group.moments.indexOf(seq);
    if (at >= 0) group.moments.splice(at, 1);
    if (group.count <= 0 || group.moments.length === 0) this.groups.delete(group.id);
  }

  private remember(record: TraceRecord): void {
    switch (record.kind) {
      case 'evidence-source':
        this.observed = true;
        return;
      case 'process':
        if (record.process === 'kubelet' && record.state === 'started') this.starts++;
        return;
      case 'pod-config':
        for (const { pod, uid } of record.pods) {
          const past = this.pastOf(uid);
          past.name = pod;
          past.leaving = record.op === 'REMOVE' || record.op === 'DELETE';
        }
        return;
      case 'worker':
        if (record.state !== 'sync') this.pastOf(record.uid).leaving = true;
        return;
      case 'status': {
        const past = this.pastOf(record.uid);
        past.name ||= record.pod;
        for (const { name, running } of containersOf(record.status))
          if (running !== '' && !past.started.has(name)) past.started.set(name, running);
        return;
      }
      case 'pleg-event': {
        const past = this.pastOf(record.uid);
        past.name ||= record.pod;
        if (record.name === undefined && record.type === 'ContainerStarted') {
          this.nameless.set(record.data, { seq: record.seq, time: record.time });
          if (this.nameless.size > RECENT) this.nameless.delete(oldestKey(this.nameless) as string);
        } else if (record.name && !past.started.has(record.name)) past.started.set(record.name, record.data);
        return;
      }
    }
  }

  private pastOf(uid: string): PodPast {
    let past = this.pods.get(uid);
    if (past) return past;
    past = { name: '', leaving: false, started: new Map() };
    this.pods.set(uid, past);
    if (this.pods.size > MOST_PODS) {
      const [oldest] = this.pods.keys();
      this.pods.delete(oldest as string);
    }
    return past;
  }
}
