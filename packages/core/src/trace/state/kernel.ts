/** Goroutines, channels and the loop. */
import type { kernel as kernelKinds } from '../kinds/kernel.js';
import type { Place } from '../kinds/kind.js';
import type { Json, Micros, RecordOf, Seq, Wait } from '../records.js';
import { noteSourceChannel } from './config.js';
import { placeByName } from './goroutine-places.js';
import { reduceStartup } from './startup.js';
import type { NodeState } from './state.js';

export interface ChannelState {
  id: number;
  name: string;
  cap: number;
  closed: boolean;
  /** Oldest first. */
  items: { seq: Seq; item: Json }[];
  /** Goroutines that wait to receive, and to send. */
  receivers: number[];
  senders: { g: number; item: Json }[];
  sent: number;
  received: number;
  /** Nobody tells what is in it. */
  unseen?: true;
  /** Process that it belongs to, '' when none is known. */
  process: string;
  /** Last operation on it. */
  lastTime: Micros;
}
export interface GoroutineView {
  id: number;
  name: string;
  process: string;
  state: 'runnable' | 'waiting' | 'dead';
  wait: Wait | null;
  since: Micros;
  /** Named calls, outermost first. */
  stack: { seq: Seq; fn: string; args: Json }[];
  /** Pod whose worker it is, '' for other goroutines. */
  uid: string;
  /** Its part of the kubelet, with the pod if that is a column of a pod's lane; null: none that the graph shows. */
  place: { at: Place; uid: string } | null;
}
export interface LoopState {
  /** Goroutine that runs syncLoop, 0 before. */
  g: number;
  phase: 'off' | 'waiting' | 'handling' | 'backoff';
  iteration: number;
  /** Channel names in select order, those ready and the one taken at the last select; positions into `cases`. */
  cases: string[];
  ready: number[];
  /** No source reports what was ready, nor turns that took nothing of note: an observed kubelet's loop. */
  blind?: true;
  chosen: number;
  chosenSeq: Seq;
  /** Handler that runs now, '' when none. */
  handler: string;
  handlerArgs: Json;
}

export const initialLoop = (): LoopState => ({
  g: 0,
  phase: 'off',
  iteration: 0,
  cases: [],
  ready: [],
  chosen: -1,
  chosenSeq: 0,
  handler: '',
  handlerArgs: null,
});
export const copyChannel = (c: ChannelState): ChannelState => ({
  ...c,
  items: [...c.items],
  receivers: [...c.receivers],
  senders: [...c.senders],
});
export const copyGoroutine = (g: GoroutineView): GoroutineView => ({ ...g, stack: [...g.stack] });

function placeOfStart(state: NodeState, { place, uid = '', name, process }: RecordOf<'goroutine-start'>) {
  if (place) return { at: place, uid };
  return process === 'kubelet' ? placeByName(state, name) : null;
}

/** Folds in a record of the kernel; `g` is the goroutine that made the record. */
export function reduceKernel(
  state: NodeState,
  record: RecordOf<keyof typeof kernelKinds>,
  g: GoroutineView | undefined,
): void {
  switch (record.kind) {
    case 'goroutine-start':
      state.goroutines[record.id] = {
        id: record.id,
        name: record.name,
        process: record.process,
        state: 'runnable',
        wait: null,
        since: record.time,
        stack: [],
        uid: '',
        place: placeOfStart(state, record),
      };
      break;
    case 'goroutine-end': {
      const ended = state.goroutines[record.id];
      if (!ended) break;
      wake(state, ended, record.time);
      ended.state = 'dead';
      ended.since = record.time;
      ended.stack = [];
      if (state.loop.g === record.id) endLoop(state.loop);
      break;
    }
    case 'wait':
      if (g) startWait(state, g, record);
      break;
    case 'chan-make':
      state.channels[record.chan] = {
        id: record.chan,
        name: record.name,
        cap: record.cap,
        closed: false,
        items: [],
        receivers: [],
        senders: [],
        sent: 0,
        received: 0,
        process: g?.process ?? state.startedLast,
        lastTime: record.time,
        ...(record.unseen && { unseen: true as const }),
      };
      noteSourceChannel(state, record.name);
      break;
    case 'send': {
      const chan = state.channels[record.chan];
      if (!chan) break;
      chan.items.push({ seq: record.seq, item: record.item });
      chan.sent++;
      chan.lastTime = record.time;
      break;
    }
    case 'receive': {
      const chan = state.channels[record.chan];
      if (!chan) break;
      chan.lastTime = record.time;
      if (record.ok) {
        chan.items.shift();
        if (!record.discarded) chan.received++;
      }
      // `len` is the truth; more than it are items that went without a record (a gap).
      if (record.len !== undefined && chan.items.length > record.len)
        chan.items.splice(0, chan.items.length - record.len);
      break;
    }
    case 'close': {
      const chan = state.channels[record.chan];
      if (!chan) break;
      chan.closed = true;
      chan.lastTime = record.time;
      break;
    }
    case 'select':
      state.counts.selects++;
      if (record.g === state.loop.g && g) loopSelect(state, record);
      break;
    case 'enter':
      reduceStartup(state.startup, record);
      if (g) {
        g.stack.push({ seq: record.seq, fn: record.fn, args: record.args ?? null });
        enterFn(state, g, record);
      }
      break;
    case 'exit':
      reduceStartup(state.startup, record);
      if (g) {
        exitFn(state, g, record);
      }
      break;
    case 'call-step':
    case 'deadlock':
      break;
    default:
      record satisfies never;
  }
}

/** Takes a goroutine that leaves a record out of its queues. */
export function wake(state: NodeState, g: GoroutineView, time: number): void {
  if (g.state !== 'waiting') return;
  g.state = 'runnable';
  g.since = time;
  const chans = g.wait?.chans;
  g.wait = null;
  if (!chans) return;
  for (const id of chans) {
    const chan = state.channels[id];
    if (!chan) continue;
    const r = chan.receivers.indexOf(g.id);
    if (r >= 0) chan.receivers.splice(r, 1);
    const s = chan.senders.findIndex((w) => w.g === g.id);
    if (s >= 0) chan.senders.splice(s, 1);
  }
}

function startWait(state: NodeState, g: GoroutineView, record: RecordOf<'wait'>): void {
  const { on } = record;
  wake(state, g, record.time);
  g.state = 'waiting';
  g.wait = on;
  g.since = record.time;
  on.chans?.forEach((id, i) => {
    const chan = state.channels[id];
    if (!chan) return;
    if (on.op === 'send' || on.sends?.includes(i)) chan.senders.push({ g: g.id, item: on.item ?? null });
    else chan.receivers.push(g.id);
  });
  if (g.id !== state.loop.g) return;
  const { loop } = state;
  if (on.op === 'select' && includesConfig(state, on.chans ?? [])) {
    loop.phase = 'waiting';
    loop.handler = '';
    loop.handlerArgs = null;
  } else if (on.op === 'sleep' && g.stack[g.stack.length - 1]?.fn === 'syncLoop') loop.phase = 'backoff';
}

// --- the loop ------------------------------------------------------------------------------------------------------

const includesConfig = (state: NodeState, chans: readonly number[]): boolean =>
  chans.some((id) => state.channels[id]?.name === 'configCh');

function loopSelect(state: NodeState, record: RecordOf<'select'>): void {
  if (!includesConfig(state, record.cases)) return;
  const { loop } = state;
  state.counts.iterations++;
  loop.iteration++;
  loop.phase = 'handling';
  loop.cases = record.cases.map((id) => (id === 0 ? 'nil' : (state.channels[id]?.name ?? `chan ${id}`)));
  loop.ready = [...(record.ready ?? [])];
  if (record.ready === undefined) loop.blind = true;
  else delete loop.blind;
  loop.chosen = record.chosen;
  loop.chosenSeq = record.seq;
  loop.handler = '';
  loop.handlerArgs = null;
}

const isHandler = (fn: string): boolean => fn.startsWith('Handle') || fn === 'handleProbeSync';

function enterFn(state: NodeState, g: GoroutineView, record: RecordOf<'enter'>): void {
  const { loop } = state;
  if (record.fn === 'syncLoop') {
    Object.assign(loop, { g: g.id, phase: 'waiting', iteration: 0, chosen: -1, handler: '', handlerArgs: null });
  } else if (g.id === loop.g && isHandler(record.fn) && loop.handler === '') {
    loop.handler = record.fn;
    loop.handlerArgs = record.args ?? null;
  } else if (g.uid !== '' && record.fn.startsWith('Sync')) {
    // Past GetNewerThan.
    const worker = state.pods[g.uid]?.worker;
    if (worker) worker.waitsForNewerThan = null;
  }
}

function exitFn(state: NodeState, g: GoroutineView, record: RecordOf<'exit'>): void {
  while (g.stack.length > 0 && (g.stack[g.stack.length - 1]?.seq ?? 0) >= record.of) g.stack.pop();
  const { loop } = state;
  if (g.id !== loop.g) return;
  if (record.fn === 'syncLoop') endLoop(loop);
  else if (record.fn === 'syncLoopIteration') {
    loop.phase = 'waiting';
    loop.handler = '';
    loop.handlerArgs = null;
  } else if (record.fn === loop.handler && !g.stack.some((f) => isHandler(f.fn))) {
    loop.handler = '';
    loop.handlerArgs = null;
  }
}

export function endLoop(loop: LoopState): void {
  Object.assign(loop, { g: 0, phase: 'off', handler: '', handlerArgs: null });
}
