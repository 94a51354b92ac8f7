/** What was written already of steps that several sources tell of, so that none of them is written twice. */
import type { Micros, RecordBody, Seq } from '../../trace/index.js';

/** A step that is under way: its `enter` or `work-start` record, and the goroutine that takes it. */
export interface OpenStep {
  readonly seq: Seq;
  readonly g: number;
  readonly at: Micros;
}

/** How far the times may lie apart that two sources have of one moment. */
const SAME_MOMENT = 200_000;
const MOST_STEPS = 8192;

/** The name under which a step of a pod's worker is open; '' for other records. */
function stepOf(body: RecordBody): string {
  if (body.kind === 'work-start') return `work ${body.uid}`;
  if (body.kind !== 'enter' || !/^Sync(Pod|TerminatingPod|TerminatedPod|TerminatingRuntimePod)$/.test(body.fn))
    return '';
  const { args } = body;
  const uid = typeof args === 'object' && args !== null ? (args as { readonly uid?: unknown }).uid : undefined;
  return typeof uid === 'string' && uid !== '' ? `${body.fn} ${uid}` : '';
}

const isRelist = (body: RecordBody): boolean => body.kind === 'relist' && body.scope === 'global';

export class Told {
  private readonly open = new Map<string, OpenStep>();
  private readonly exits = new Map<Seq, Seq>();
  /** By UID: the last status and its record. */
  private readonly statuses = new Map<string, { readonly text: string; readonly seq: Seq }>();
  private relist: OpenStep | null = null;

  /** The record that says this already. */
  same(body: RecordBody, at: Micros): Seq | undefined {
    if (body.kind === 'exit') return this.exits.get(body.of);
    if (body.kind === 'status') {
      const last = this.statuses.get(body.uid);
      return last?.text === JSON.stringify(body.status) ? last.seq : undefined;
    }
    if (isRelist(body)) return this.relist && at - this.relist.at <= SAME_MOMENT ? this.relist.seq : undefined;
    const step = stepOf(body);
    const open = step === '' ? undefined : this.open.get(step);
    return open && at - open.at <= SAME_MOMENT ? open.seq : undefined;
  }

  /** A step of a pod's worker that is under way: `SyncPod` and its siblings, or `work`. */
  step(fn: string, uid: string): OpenStep | undefined {
    return this.open.get(`${fn} ${uid}`);
  }

  note(body: RecordBody, seq: Seq, g: number, at: Micros): void {
    if (body.kind === 'status') {
      this.statuses.delete(body.uid);
      this.statuses.set(body.uid, { text: JSON.stringify(body.status), seq });
      if (this.statuses.size > MOST_STEPS) this.statuses.delete(this.statuses.keys().next().value as string);
    }
    if (isRelist(body)) this.relist = { seq, g, at };
    const step = stepOf(body);
    if (step !== '') {
      this.open.delete(step);
      this.open.set(step, { seq, g, at });
      if (this.open.size > MOST_STEPS) this.open.delete(this.open.keys().next().value as string);
    } else if (body.kind === 'exit') {
      for (const [name, open] of this.open) if (open.seq === body.of) this.open.delete(name);
      this.exits.set(body.of, seq);
      if (this.exits.size > MOST_STEPS) this.exits.delete(this.exits.keys().next().value as Seq);
    } else if (body.kind === 'work-done') this.open.delete(`work ${body.uid}`);
    // Another process has other workers.
    else if (body.kind === 'process' && body.process === 'kubelet') this.open.clear();
  }
}
