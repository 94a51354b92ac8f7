/**
 * The contents of the Story's boxes besides their sentence: the live essence, as plain values copied out of the state.
 */
import type { NodeState } from '@syncloop/core/trace';
import { CHANNELS, HANDLERS } from '../../../run/loop.js';
import { laneOrder, lanePart } from '../lanes/logic/lanes.js';
import { laneIndex } from '../lanes/logic/lanes-index.js';
import { channelPart, handlersPart, plegPart, podConfigPart, selectPart, sourcePart, statusRows } from './parts.js';

export interface StoryDesired {
  readonly any: boolean;
  readonly sources: readonly { readonly name: 'file' | 'http' | 'api'; readonly pods: number }[];
  readonly pods: readonly { readonly uid: string; readonly pod: string }[];
  readonly total: number;
  readonly errors: number;
}
export function storyDesired(state: NodeState): StoryDesired {
  const names = ['file', 'http', 'api'] as const;
  const parts = names.map((name) => ({ name, part: sourcePart(state, name) }));
  const config = podConfigPart(state);
  return {
    any: config.any,
    sources: parts.filter(({ name }) => state.sources[name]).map(({ name, part }) => ({ name, pods: part.pods })),
    pods: config.names,
    total: config.pods,
    errors: parts.reduce((n, { part }) => n + part.errors.length, 0),
  };
}

export interface StoryInputs {
  /** Channels with waiting items, in select order. */
  readonly waiting: readonly {
    readonly channel: string;
    readonly count: number;
    readonly seq: number;
    readonly label: string;
  }[];
  readonly exists: boolean;
}
export function storyInputs(state: NodeState): StoryInputs {
  const parts = CHANNELS.map((key) => ({ key, part: channelPart(state, key) }));
  return {
    exists: parts.some(({ part }) => part.exists),
    waiting: parts
      .filter(({ part }) => part.count > 0)
      .map(({ key, part }) => ({
        channel: key,
        count: part.count,
        seq: part.items[0]?.seq ?? 0,
        label: part.items[0]?.label ?? '',
      })),
  };
}

export interface StoryChoice {
  readonly phase: 'off' | 'waiting' | 'handling' | 'backoff';
  readonly iteration: number;
  readonly took: string;
  readonly ready: number;
  readonly errors: readonly string[];
}
export function storyChoice(state: NodeState): StoryChoice {
  const part = selectPart(state);
  return {
    phase: part.phase,
    iteration: part.iteration,
    took: CHANNELS[part.chosen] ?? '',
    ready: part.ready.length,
    errors: part.errors,
  };
}

export interface StoryHandler {
  /** The function that runs; '' if none does. */
  readonly name: string;
  readonly args: string;
}
export function storyHandler(state: NodeState): StoryHandler {
  const part = handlersPart(state);
  return { name: HANDLERS[part.running] ?? '', args: part.args };
}

export interface StoryWorker {
  readonly uid: string;
  readonly pod: string;
  readonly phase: string;
  readonly state: string;
  readonly working: boolean;
  readonly waits: boolean;
  /** The progress of its work: the number of its step, 0 before the first, and how many there are. */
  readonly fn: string;
  readonly step: number;
  readonly steps: number;
  readonly error: string;
}
/** The most rows of a list that the Story shows. */
const MOST = 8;

/** The first few pods, those at work first, and how many there are in all. */
export function storyWorkers(state: NodeState): { readonly rows: readonly StoryWorker[]; readonly total: number } {
  const order = laneOrder(state);
  const working = (uid: string) => state.pods[uid]?.worker?.working === true;
  const first = [...order.filter(working), ...order.filter((uid) => !working(uid))].slice(0, MOST);
  const index = laneIndex(state);
  const rows = first.flatMap((uid): StoryWorker[] => {
    const lane = lanePart(state, uid, index);
    if (!lane) return [];
    return [
      {
        uid,
        pod: lane.pod,
        phase: lane.phase,
        state: lane.state,
        working: lane.working,
        waits: lane.newerThan !== null,
        fn: lane.syncFn,
        step: lane.working ? Math.max(0, ...lane.sync.filter((t) => t.done).map((t) => t.n)) : 0,
        steps: lane.sync.length,
        error: lane.error,
      },
    ];
  });
  return { rows, total: order.length };
}

export interface StoryPod {
  readonly uid: string;
  readonly pod: string;
  readonly containers: readonly {
    readonly id: string;
    readonly name: string;
    readonly state: 'created' | 'running' | 'exited' | 'unknown';
    readonly exitCode: number | null;
    readonly restarts: number;
  }[];
  /** Call to the runtime that is under way for it. */
  readonly call: string;
}
/** Returns the pods on the node, with a sandbox or with a call under way: the first few, and how many there are. */
export function storyNode(state: NodeState): { readonly rows: readonly StoryPod[]; readonly total: number } {
  const index = laneIndex(state);
  const there = laneOrder(state).filter(
    (uid) => index.sandboxes.has(uid) || index.calls.get(uid)?.some((c) => c.took === null),
  );
  const rows = there.slice(0, MOST).flatMap((uid): StoryPod[] => {
    const lane = lanePart(state, uid, index);
    if (!lane) return [];
    return [
      {
        uid,
        pod: lane.pod,
        call: lane.call?.took === null ? lane.call.method : '',
        containers: (lane.sandbox?.containers ?? []).map(({ id, name, state: is, exitCode, restarts }) => ({
          id,
          name,
          state: is,
          exitCode,
          restarts,
        })),
      },
    ];
  });
  return { rows, total: there.length };
}

export interface StoryPLEG {
  readonly relists: number;
  readonly last: number;
  /** The newest differences, newest first. */
  readonly rows: readonly { readonly seq: number; readonly what: string; readonly old: string; readonly new: string }[];
}
export function storyPLEG(state: NodeState): StoryPLEG {
  const part = plegPart(state);
  return {
    relists: part.relists,
    last: part.last,
    rows: part.rows.map((r) => ({ seq: r.seq, what: r.sandbox ? r.pod : r.name, old: r.old, new: r.new })),
  };
}

export interface StoryStatus {
  readonly api: boolean;
  readonly rows: readonly {
    readonly uid: string;
    readonly pod: string;
    readonly phase: string;
    readonly version: number;
  }[];
}
export function storyStatus(state: NodeState): StoryStatus {
  return {
    api: state.sources.api !== undefined,
    rows: statusRows(state)
      .map(({ uid, pod, phase, version }) => ({ uid, pod, phase, version }))
      .reverse(),
  };
}
