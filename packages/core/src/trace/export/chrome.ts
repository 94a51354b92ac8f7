/**
 * A run in Chrome's trace event format, for Perfetto (ui.perfetto.dev), Firefox Profiler and chrome://tracing: a
 * process for each of the run's, a lane for each goroutine with its named calls and waits, CRI calls as async events,
 * all else as instants, and an arrow wherever one goroutine's doing made another's.
 */
import type { RecordingHeader } from '../recording/index.js';
import type { RecordOf, Seq, TraceRecord, Wait } from '../records.js';
import { type Flows, findFlows } from './flows.js';

export interface ChromeTraceOptions {
  /**
   * The unit of the horizontal axis. `time` (default): microseconds of the run; in virtual time much happens at one
   * moment, with no width at all. `record`: one microsecond per record, so that everything has its place.
   */
  readonly axis?: 'time' | 'record';
  /**
   * Records as arguments of their events: all that was recorded can be read there, and imported again. Default true.
   */
  readonly args?: boolean;
}

/** One event, as it is in the file. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: 'B' | 'E' | 'i' | 'b' | 'e' | 's' | 'f' | 'M';
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly cat?: string;
  readonly id?: string;
  readonly s?: 't' | 'g';
  readonly bp?: 'e';
  readonly args?: { readonly [key: string]: unknown };
}

/** Process and thread of what no goroutine does: timers, the user, the runtime's own happenings. */
const OUTSIDE = 1;

interface Lane {
  readonly pid: number;
  readonly tid: number;
  /** Calls that have not returned, outermost first. */
  readonly frames: { readonly seq: Seq; readonly fn: string }[];
  /** Name of the wait that is open, '' when it runs. */
  wait: string;
}

/**
 * Yields the file in pieces of text. `records` are gone through twice: first for the arrows. What is still open at the
 * end (calls, waits) ends there, marked `unfinished`.
 */
export function* chromeTrace(
  header: RecordingHeader,
  records: Iterable<TraceRecord>,
  options: ChromeTraceOptions = {},
): IterableIterator<string> {
  yield '{"traceEvents":[';
  let comma = '\n';
  for (const event of chromeEvents(records, options)) {
    yield comma + JSON.stringify(event);
    comma = ',\n';
  }
  yield `\n],"displayTimeUnit":"ms","otherData":${JSON.stringify(header)}}\n`;
}

/** The events of the file one by one, on each lane in order of time. */
export function* chromeEvents(
  records: Iterable<TraceRecord>,
  options: ChromeTraceOptions = {},
): IterableIterator<TraceEvent> {
  const writer = new EventWriter(findFlows(records), options);
  for (const record of records) {
    writer.add(record);
    yield* writer.take();
  }
  writer.end();
  yield* writer.take();
}

class EventWriter {
  private events: TraceEvent[] = [];
  private readonly lanes = new Map<number, Lane>();
  private readonly processes = new Map<string, number>();
  private readonly channels = new Map<number, string>();
  /** CRI calls that have not returned. */
  private readonly calls = new Map<Seq, { readonly name: string; readonly lane: Lane }>();
  private readonly byRecord: boolean;
  private readonly withArgs: boolean;
  private ts = 0;

  constructor(
    private readonly flows: Flows,
    { axis = 'time', args = true }: ChromeTraceOptions,
  ) {
    this.byRecord = axis === 'record';
    this.withArgs = args;
    this.processes.set('outside', OUTSIDE);
    this.meta('process_name', OUTSIDE, OUTSIDE, { name: 'outside' });
    this.lanes.set(0, { pid: OUTSIDE, tid: OUTSIDE, frames: [], wait: '' });
    this.meta('thread_name', OUTSIDE, OUTSIDE, { name: 'timers, user, runtime' });
  }

  /** Returns the events that were written since the last call. */
  take(): TraceEvent[] {
    const { events } = this;
    this.events = [];
    return events;
  }

  add(record: TraceRecord): void {
    // A recording's time does not go back; a file that says so is drawn as if it stood still.
    this.ts = Math.max(this.ts, this.byRecord ? record.seq : record.time);
    const lane = this.lane(record);
    this.endWait(lane);
    const args = this.withArgs ? { record } : { seq: record.seq };
    switch (record.kind) {
      case 'enter':
        lane.frames.push({ seq: record.seq, fn: record.fn });
        this.event(lane, 'B', record.fn, 'function', args);
        this.arrows(lane, record.seq);
        break;
      case 'exit':
        this.exit(lane, record, args);
        break;
      case 'wait':
        lane.wait = this.waitName(record.on);
        this.event(lane, 'B', lane.wait, 'wait', args);
        this.arrows(lane, record.seq);
        break;
      case 'cri-call':
        this.calls.set(record.seq, { name: record.method, lane });
        this.event(lane, 'b', record.method, 'cri', args, String(record.seq));
        if (this.flows.touches(record.seq)) this.slice(lane, record, `call ${record.method}`, { seq: record.seq });
        break;
      case 'cri-return': {
        const call = this.calls.get(record.call);
        this.calls.delete(record.call);
        if (call) this.event(call.lane, 'e', call.name, 'cri', args, String(record.call));
        else this.mark(lane, record, `${record.method} returned`, args);
        if (call && this.flows.touches(record.seq))
          this.slice(lane, record, `return ${record.method}`, { seq: record.seq });
        break;
      }
      case 'goroutine-start':
        this.newLane(record.id, record.name, record.process);
        this.mark(lane, record, `go ${record.name}`, args);
        break;
      case 'goroutine-end': {
        this.mark(lane, record, record.panic ? 'panic' : record.killed ? 'killed' : 'goroutine ends', args);
        const ended = this.lanes.get(record.id);
        if (ended) this.close(ended, record.panic ? { error: record.panic.error } : {});
        break;
      }
      case 'chan-make':
        this.channels.set(record.chan, record.name);
        this.mark(lane, record, `make ${record.name}`, args);
        break;
      case 'gap':
        this.events.push({ ...this.at(lane, 'i', `${record.to - record.from + 1} records are missing`), s: 'g', args });
        break;
      default:
        this.mark(lane, record, this.nameOf(record), args);
    }
  }

  /** Ends what is still open. */
  end(): void {
    // The last record may be a slice, which ends one later.
    if (this.byRecord) this.ts++;
    for (const lane of this.lanes.values()) this.close(lane, { unfinished: true });
    for (const [seq, { name, lane }] of this.calls)
      this.event(lane, 'e', name, 'cri', { unfinished: true }, String(seq));
    this.calls.clear();
  }

  // --- lanes ---------------------------------------------------------------------------------------------------------

  private lane({ g, kind }: TraceRecord): Lane {
    // The mock runtime works in goroutines that have no lane.
    return (
      this.lanes.get(kind.startsWith('actual-') && !this.lanes.has(g) ? 0 : g) ??
      this.newLane(g, `goroutine ${g}`, 'unknown')
    );
  }

  private newLane(g: number, name: string, process: string): Lane {
    let pid = this.processes.get(process);
    if (pid === undefined) {
      pid = OUTSIDE + this.processes.size;
      this.processes.set(process, pid);
      this.meta('process_name', pid, OUTSIDE, { name: process });
    }
    const before = this.lanes.get(g);
    if (before) this.close(before, {});
    // One more than the goroutine's own number: viewers take thread 0 for an idle processor.
    const lane: Lane = { pid, tid: OUTSIDE + g, frames: [], wait: '' };
    this.lanes.set(g, lane);
    this.meta('thread_name', pid, lane.tid, { name: `${name} (g${g})` });
    this.meta('thread_sort_index', pid, lane.tid, { sort_index: g });
    return lane;
  }

  private exit(lane: Lane, record: RecordOf<'exit'>, args: object): void {
    const { frames } = lane;
    // The call it ends, and those within that were left without a record of their own.
    const from = frames.findIndex((f) => f.seq >= record.of);
    if (from < 0) {
      this.mark(lane, record, `return from ${record.fn}`, args);
      return;
    }
    this.arrows(lane, record.seq);
    while (frames.length > from) {
      const frame = frames.pop() as Lane['frames'][number];
      this.event(lane, 'E', frame.fn, 'function', frames.length === from ? args : { seq: record.seq });
    }
  }

  private endWait(lane: Lane): void {
    if (lane.wait === '') return;
    this.event(lane, 'E', lane.wait, 'wait');
    lane.wait = '';
  }

  private close(lane: Lane, args: object): void {
    this.endWait(lane);
    for (let frame = lane.frames.pop(); frame; frame = lane.frames.pop())
      this.event(lane, 'E', frame.fn, 'function', args);
  }

  // --- events --------------------------------------------------------------------------------------------------------

  /** Writes an instant, or a slice when arrows begin or end at it, because those need one to attach to. */
  private mark(lane: Lane, record: TraceRecord, name: string, args: object): void {
    if (this.flows.touches(record.seq)) this.slice(lane, record, name, args);
    else this.instant(lane, record, name, args);
  }

  private instant(lane: Lane, record: TraceRecord, name: string, args: object): void {
    this.events.push({
      ...this.at(lane, 'i', name, categoryOf(record)),
      s: 't',
      args: args as TraceEvent['args'] & object,
    });
  }

  private slice(lane: Lane, record: TraceRecord, name: string, args: object): void {
    const cat = categoryOf(record);
    this.event(lane, 'B', name, cat, args);
    this.arrows(lane, record.seq);
    if (this.byRecord) this.ts++;
    this.event(lane, 'E', name, cat);
    if (this.byRecord) this.ts--;
  }

  /** Writes the ends and beginnings of arrows at a record, within the slice that was opened last on its lane. */
  private arrows(lane: Lane, seq: Seq): void {
    if (this.flows.ends.has(seq))
      this.events.push({ ...this.at(lane, 'f', 'cause', 'cause'), id: String(seq), bp: 'e' });
    for (const to of this.flows.begins.get(seq) ?? [])
      this.events.push({ ...this.at(lane, 's', 'cause', 'cause'), id: String(to) });
  }

  private event(lane: Lane, ph: TraceEvent['ph'], name: string, cat: string, args?: object, id?: string): void {
    this.events.push({
      ...this.at(lane, ph, name, cat),
      ...(id !== undefined && { id }),
      ...(args && { args: args as TraceEvent['args'] & object }),
    });
  }

  private at(lane: Lane, ph: TraceEvent['ph'], name: string, cat?: string): TraceEvent {
    return { name, ph, pid: lane.pid, tid: lane.tid, ts: this.ts, ...(cat !== undefined && { cat }) };
  }

  private meta(name: string, pid: number, tid: number, args: { readonly [key: string]: unknown }): void {
    this.events.push({ name, ph: 'M', pid, tid, ts: 0, args });
  }

  // --- names ---------------------------------------------------------------------------------------------------------

  private channel(id: number | undefined): string {
    return id === undefined ? '?' : id === 0 ? 'nil' : (this.channels.get(id) ?? `channel ${id}`);
  }

  private waitName(on: Wait): string {
    const what = on.name ?? on.chans?.map((id) => this.channel(id)).join(', ') ?? '';
    return what === '' ? `wait: ${on.op}` : `wait: ${on.op} ${what}`;
  }

  private nameOf(record: TraceRecord): string {
    switch (record.kind) {
      case 'send':
        return `send ${this.channel(record.chan)}`;
      case 'receive':
        return `receive ${this.channel(record.chan)}`;
      case 'close':
        return `close ${this.channel(record.chan)}`;
      case 'select':
        return record.chosen < 0 ? 'select: default' : `select: ${this.channel(record.cases[record.chosen])}`;
      case 'log':
        return record.msg;
      case 'kube-event':
        return `${record.type} ${record.reason}`;
      case 'decision':
        return `${record.rule}: ${record.verdict}`;
      case 'step':
        return `${record.fn} ${record.n}: ${record.name}`;
      case 'worker':
        return `worker: ${record.state}`;
      case 'pleg-event':
        return record.type;
      case 'probe':
        return `${record.probeType} probe: ${record.outcome}`;
      case 'pod-config':
        return `${record.op} from ${record.source}`;
      case 'actual-container':
        return `container ${record.name}: ${record.state}`;
      case 'actual-sandbox':
        return `sandbox: ${record.state}`;
      case 'actual-image':
        return `image ${record.image}: ${record.state}`;
      case 'input':
        return `input: ${record.verb}`;
      case 'fault':
        return `fault: ${record.rule}`;
      case 'process':
        return `${record.process} ${record.state}`;
      default:
        return record.kind;
    }
  }
}

const CATEGORIES: Readonly<Partial<Record<TraceRecord['kind'], string>>> = {
  'goroutine-start': 'kernel',
  'goroutine-end': 'kernel',
  'chan-make': 'kernel',
  send: 'kernel',
  receive: 'kernel',
  close: 'kernel',
  select: 'kernel',
  deadlock: 'kernel',
  log: 'log',
  'kube-event': 'event',
  decision: 'decision',
  'cri-call': 'cri',
  'cri-return': 'cri',
  api: 'api',
  'actual-sandbox': 'runtime',
  'actual-container': 'runtime',
  'actual-image': 'runtime',
  input: 'session',
  fault: 'session',
  process: 'session',
};
const categoryOf = (record: TraceRecord): string =>
  (Object.hasOwn(CATEGORIES, record.kind) ? CATEGORIES[record.kind] : undefined) ?? 'kubelet';
