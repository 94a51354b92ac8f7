/**
 * The reducer: what a record changes in the visible state of the node. A function of the records alone, so that a live
 * stream, a recording and a simulation's past all show the same.
 */

import type { TraceRecord } from './records.js';
import { endAPI, reduceAPI } from './reduce-api.js';
import { initialEviction, reduceEviction } from './reduce-eviction.js';
import { endNode, reduceNode } from './reduce-node.js';
import { podOf, reducePod } from './reduce-pods.js';
import { observedFromCache, reduceActual, reduceCRICall, reduceCRIReturn } from './reduce-runtime.js';
import { push, RING } from './ring.js';
import { emptyMap, type GoroutineView, initialState, type LoopState, type NodeState } from './state.js';
import { SWEEP_EVERY, sweep } from './sweep.js';

/** Folds `record` into `state`, in place. Records come in order; what a gap hid is not guessed. */
export function reduce(state: NodeState, record: TraceRecord): void {
  state.seq = record.seq;
  state.time = record.time;
  state.counts.records++;
  const g = record.g === 0 ? undefined : state.goroutines[record.g];
  if (g && record.kind !== 'wait' && g.state !== 'dead') wake(state, g, record.time);

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
      };
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
      if (chan.items.length > record.len) chan.items.splice(0, chan.items.length - record.len);
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
      if (g) {
        g.stack.push({ seq: record.seq, fn: record.fn, args: record.args ?? null });
        enterFn(state, g, record);
      }
      break;
    case 'exit':
      if (g) {
        exitFn(state, g, record);
      }
      break;
    case 'deadlock':
    case 'log':
    case 'decision':
    case 'fault':
    case 'input':
    case 'gap':
      break;
    case 'kube-event':
      push(state.events, record, RING.events);
      break;
    case 'source': {
      const source = sourceOf(state, record.source);
      source.pods = record.pods.map((p) => ({ pod: p.pod, uid: p.uid }));
      source.seen = true;
      source.errors = record.errors ?? [];
      break;
    }
    case 'sources-ready':
      sourceOf(state, record.source).ready = true;
      break;
    case 'pod-config':
      sourceOf(state, record.source);
      for (const ref of record.pods) {
        const pod = podOf(state, ref, record);
        pod.desired = record.op !== 'REMOVE';
        pod.source = record.source;
      }
      break;
    case 'pod-update':
    case 'worker':
    case 'cache-wait':
    case 'work-start':
    case 'work-done':
    case 'step':
    case 'pod-actions':
    case 'queue':
    case 'probe':
    case 'probe-result':
    case 'backoff':
    case 'volume':
    case 'status':
    case 'status-removed':
      reducePod(state, record, g);
      break;
    case 'cache':
      reducePod(state, record, g);
      if (!state.actual) observedFromCache(state, record);
      break;
    case 'cri-call':
      reduceCRICall(state, record);
      if (g && g.state !== 'dead') {
        // It goes on with the answer. What waits beneath it is the client's own business.
        g.state = 'waiting';
        g.wait = { op: 'call', name: record.method };
        g.since = record.time;
      }
      break;
    case 'cri-return':
      reduceCRIReturn(state, record);
      break;
    case 'relist':
      state.pleg.relists++;
      state.pleg.lastRelist = record.time;
      state.pleg.lastSeq = record.seq;
      break;
    case 'pleg-transition':
      push(
        state.pleg.transitions,
        {
          seq: record.seq,
          time: record.time,
          uid: record.uid,
          pod: record.pod,
          id: record.id,
          name: record.name,
          sandbox: record.sandbox,
          old: record.old,
          new: record.new,
          event: '',
        },
        RING.transitions,
      );
      break;
    case 'pleg-event': {
      const { transitions } = state.pleg;
      for (let i = transitions.length - 1; i >= 0; i--) {
        const t = transitions[i];
        if (t && t.event === '' && t.uid === record.uid && t.id === record.data) {
          t.event = record.type;
          break;
        }
      }
      break;
    }
    case 'manager':
    case 'node-condition':
    case 'node-status':
    case 'node-lease':
      reduceNode(state, record);
      break;
    case 'eviction':
      reduceEviction(state, record);
      break;
    case 'runtime-state':
      state.runtime = { errors: record.errors, networkError: record.networkError ?? '', backoff: record.backoff ?? 0 };
      if (record.errors.length > 0 && record.backoff && state.loop.g !== 0) state.loop.phase = 'backoff';
      break;
    case 'api':
      reduceAPI(state, record);
      break;
    case 'cgroup':
      if (record.op === 'destroy') delete state.cgroups[record.path];
      // What is not named stays as it is.
      else state.cgroups[record.path] = { ...state.cgroups[record.path], ...(record.config as object | undefined) };
      break;
    case 'actual-sandbox':
    case 'actual-container':
    case 'actual-image':
      reduceActual(state, record);
      break;
    case 'process':
      state.processes[record.process] = record.state;
      if (record.state === 'started') state.startedLast = record.process;
      else endProcess(state, record.process);
      break;
    default:
      unknownKind(record);
  }
  if (state.counts.records % SWEEP_EVERY === 0) sweep(state);
}

/** A record of a newer writer changes nothing here; at compile time there is none. */
function unknownKind(_record: never): void {}

/** Folds all records, in order. */
export function foldAll(records: Iterable<TraceRecord>, state: NodeState = initialState()): NodeState {
  for (const record of records) reduce(state, record);
  return state;
}

function sourceOf(state: NodeState, name: string) {
  state.sources[name] ??= { source: name, pods: [], seen: false, ready: false, errors: [] };
  return state.sources[name];
}

// --- goroutines and channels ---------------------------------------------------------------------------------------

/** A goroutine that leaves a record stands in no queue any more. */
function wake(state: NodeState, g: GoroutineView, time: number): void {
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

function startWait(state: NodeState, g: GoroutineView, record: Extract<TraceRecord, { kind: 'wait' }>): void {
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

function loopSelect(state: NodeState, record: Extract<TraceRecord, { kind: 'select' }>): void {
  if (!includesConfig(state, record.cases)) return;
  const { loop } = state;
  state.counts.iterations++;
  loop.iteration++;
  loop.phase = 'handling';
  loop.cases = record.cases.map((id) => (id === 0 ? 'nil' : (state.channels[id]?.name ?? `chan ${id}`)));
  loop.ready = [...record.ready];
  loop.chosen = record.chosen;
  loop.chosenSeq = record.seq;
  loop.handler = '';
  loop.handlerArgs = null;
}

const isHandler = (fn: string): boolean => fn.startsWith('Handle') || fn === 'handleProbeSync';

function enterFn(state: NodeState, g: GoroutineView, record: Extract<TraceRecord, { kind: 'enter' }>): void {
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

function exitFn(state: NodeState, g: GoroutineView, record: Extract<TraceRecord, { kind: 'exit' }>): void {
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

function endLoop(loop: LoopState): void {
  Object.assign(loop, { g: 0, phase: 'off', handler: '', handlerArgs: null });
}

/** What a process held in memory goes with it. */
function endProcess(state: NodeState, process: string): void {
  for (const id of Object.keys(state.channels)) if (state.channels[id]?.process === process) delete state.channels[id];
  if (process !== 'kubelet') return;
  endLoop(state.loop);
  endNode(state);
  state.eviction = initialEviction();
  endAPI(state);
  state.sources = emptyMap();
  state.cri.inFlight = emptyMap();
  state.runtime = { errors: [], networkError: '', backoff: 0 };
  for (const uid of Object.keys(state.pods)) {
    const pod = state.pods[uid];
    if (!pod) continue;
    pod.desired = false;
    pod.worker = null;
    pod.cache = null;
    pod.actions = null;
    pod.steps = [];
    pod.backoffs = emptyMap();
    pod.probes = emptyMap();
    pod.volumes = emptyMap();
  }
}
