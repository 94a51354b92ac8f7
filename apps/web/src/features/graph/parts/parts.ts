/**
 * The contents of each part of the graph, as plain values copied out of the state. Pure: computed for every
 * publication.
 */
import { type CRICallView, isListing, type NodeState } from '@syncloop/core/trace';
import { uidOfCall } from '../../../run/calls.js';
import { CHANNELS, type ChannelKey, channelFor, handlerIndex, inputAbsent, keyOfChannel } from '../../../run/loop.js';
import { silentSources } from '../../../run/sources.js';
import { argsLabel, fields, itemLabel, list, shortPod, textOf } from '../../../units/text.js';

/** The loop's tickers and their periods in Micros. */
export const TICKERS: Partial<Record<ChannelKey, number>> = { syncCh: 1_000_000, housekeepingCh: 2_000_000 };

export interface ChannelPart {
  readonly name: string;
  readonly exists: boolean;
  /** True if the version of the kubelet that runs has no such input. */
  readonly absent: boolean;
  readonly cap: number;
  readonly count: number;
  /** The oldest few, oldest first. */
  readonly items: readonly { readonly seq: number; readonly label: string }[];
  readonly receivers: number;
  readonly senders: number;
  readonly sent: number;
  readonly lastTime: number;
  /** True if no source reports how full it is, as with an observed kubelet. */
  readonly unseen: boolean;
  readonly ready: boolean;
  readonly chosen: boolean;
}

export const SLOTS_SHOWN = 5;

export function channelPart(state: NodeState, key: ChannelKey): ChannelPart {
  const c = channelFor(state, key);
  const { loop } = state;
  const at = loop.cases.findIndex((name) => keyOfChannel(name) === key);
  const handling = loop.phase === 'handling';
  return {
    name: c?.name ?? key,
    exists: c !== undefined,
    absent: inputAbsent(state, key),
    cap: c?.cap ?? 0,
    count: c?.items.length ?? 0,
    items: (c?.items ?? []).slice(0, SLOTS_SHOWN).map((i) => ({ seq: i.seq, label: itemLabel(i.item) })),
    receivers: c?.receivers.length ?? 0,
    senders: c?.senders.length ?? 0,
    sent: c?.sent ?? 0,
    lastTime: c?.lastTime ?? 0,
    unseen: c?.unseen ?? false,
    ready: (c?.items.length ?? 0) > 0 || (c?.senders.length ?? 0) > 0 || (handling && loop.ready.includes(at)),
    chosen: handling && at >= 0 && loop.chosen === at,
  };
}

/** Returns how far a ticker has filled since it last fired, 0..1; null if it does not run. */
export function tickerFill(state: NodeState, key: ChannelKey, now: number): number | null {
  const period = TICKERS[key];
  const c = channelFor(state, key);
  // An observed kubelet's ticks that find nothing to do leave no trace.
  if (!period || !c || c.unseen) return null;
  if (c.items.length > 0) return 1;
  return Math.min(1, Math.max(0, (now - c.lastTime) / period));
}

export interface SelectPart {
  readonly phase: 'off' | 'waiting' | 'handling' | 'backoff';
  readonly iteration: number;
  /** True if the sources report neither iterations without work nor the other ready cases. */
  readonly blind: boolean;
  /** Indexes among the eight inputs: those ready at the last select, and the one taken (-1: none). */
  readonly ready: readonly number[];
  readonly chosen: number;
  readonly errors: readonly string[];
}

export function selectPart(state: NodeState): SelectPart {
  const { loop } = state;
  const position = (i: number) => {
    const key = keyOfChannel(loop.cases[i] ?? '');
    return key ? CHANNELS.indexOf(key) : -1;
  };
  const handling = loop.phase === 'handling';
  return {
    phase: loop.phase,
    iteration: loop.iteration,
    blind: loop.blind ?? false,
    ready: handling ? loop.ready.map(position).filter((i) => i >= 0) : [],
    chosen: handling ? position(loop.chosen) : -1,
    errors: loop.phase === 'backoff' ? [...state.runtime.errors, state.runtime.networkError].filter(Boolean) : [],
  };
}

export interface HandlersPart {
  /** Position of the handler that runs; -1 for none. */
  readonly running: number;
  readonly args: string;
}

export function handlersPart(state: NodeState): HandlersPart {
  const { loop } = state;
  return { running: loop.handler === '' ? -1 : handlerIndex(loop.handler), args: argsLabel(loop.handlerArgs) };
}

export interface SourcePart {
  readonly configured: boolean;
  /** True if the kubelet is observed, and no source reports the content of this source of pods. */
  readonly unknown: boolean;
  readonly seen: boolean;
  readonly pods: number;
  readonly names: readonly PodName[];
  readonly errors: readonly string[];
}
export interface PodName {
  readonly uid: string;
  readonly pod: string;
}

export function sourcePart(state: NodeState, name: 'file' | 'http' | 'api'): SourcePart {
  const s = state.sources[name];
  return {
    configured: s !== undefined || name === 'file',
    unknown: !s?.seen && (state.loop.blind ?? false),
    seen: s?.seen ?? false,
    pods: s?.pods.length ?? 0,
    names: (s?.pods ?? []).slice(0, NAMES).map((p) => ({ uid: p.uid, pod: shortPod(p.pod) })),
    errors: [...(s?.errors ?? [])],
  };
}

/** Most names that a box needs: those it shows, and whether there are more. */
const NAMES = 12;

export interface PodConfigPart {
  readonly pods: number;
  readonly names: readonly PodName[];
  readonly ready: boolean;
  /** Names of the sources that keep it from being ready. */
  readonly waitsFor: readonly string[];
  readonly any: boolean;
  /** The kubelet is observed, and no source reports which sources of pods it has. */
  readonly unknown: boolean;
}
export function podConfigPart(state: NodeState): PodConfigPart {
  const sources = Object.values(state.sources);
  const waitsFor = silentSources(state);
  const desired = Object.values(state.pods).filter((p) => p.desired);
  return {
    pods: desired.length,
    names: desired.slice(0, NAMES).map((p) => ({ uid: p.uid, pod: shortPod(p.pod) })),
    ready: sources.length > 0 && waitsFor.length === 0,
    waitsFor,
    unknown: state.loop.blind ?? false,
    any: sources.length > 0,
  };
}

export interface PLEGPart {
  readonly relists: number;
  readonly last: number;
  /** Newest first. */
  readonly rows: readonly {
    readonly seq: number;
    readonly name: string;
    readonly pod: string;
    readonly id: string;
    readonly sandbox: boolean;
    readonly old: string;
    readonly new: string;
    readonly event: string;
  }[];
}
export const PLEG_ROWS = 7;

export function plegPart(state: NodeState): PLEGPart {
  const { transitions, relists, lastRelist } = state.pleg;
  return {
    relists,
    last: lastRelist,
    rows: transitions
      .slice(-PLEG_ROWS)
      .reverse()
      .map((t) => ({
        seq: t.seq,
        name: t.name,
        pod: shortPod(t.pod),
        id: t.id,
        sandbox: t.sandbox,
        old: t.old,
        new: t.new,
        event: t.event,
      })),
  };
}

export interface CRIPart {
  readonly calls: number;
  readonly errors: number;
  /** Calls that do something: in flight first, then newest first. */
  readonly rows: readonly CRIRow[];
  /** The newest of those that only look; there are always some. */
  readonly looks: readonly CRIRow[];
}
export interface CRIRow {
  readonly seq: number;
  readonly method: string;
  readonly who: string;
  readonly since: number;
  readonly took: number | null;
  readonly error: string;
}
export const CRI_ROWS = 6;
const CRI_LOOKS = 2;

export function criPart(state: NodeState): CRIPart {
  const { inFlight, recent, calls, errors } = state.cri;
  const rows: CRIRow[] = [];
  const looks: CRIRow[] = [];
  const add = (c: CRICallView) => {
    // A look that failed is news.
    const [to, most] = isListing(c.method) && c.error === '' ? [looks, CRI_LOOKS] : [rows, CRI_ROWS];
    if (to.length >= most) return;
    const who = shortPod(state.pods[uidOfCall(state, c)]?.pod ?? '');
    to.push({ seq: c.seq, method: c.method, who, since: c.since, took: c.took, error: c.error });
  };
  for (const c of Object.values(inFlight)) add(c);
  for (let i = recent.length - 1; i >= 0; i--) add(recent[i] as CRICallView);
  return { calls, errors, rows, looks };
}

export interface ProbeRow {
  readonly key: string;
  readonly uid: string;
  readonly container: string;
  readonly type: string;
  readonly outcome: string;
  readonly result: string;
  /** Null if unknown. */
  readonly run: number | null;
  readonly threshold: number | null;
  readonly time: number;
}
export function probeRows(state: NodeState): ProbeRow[] {
  return Object.values(state.pods).flatMap((p) =>
    Object.values(p.probes).map((probe) => ({
      key: `${p.uid}/${probe.container}/${probe.probeType}`,
      uid: p.uid,
      container: `${shortPod(p.pod)}/${probe.container}`,
      type: probe.probeType,
      outcome: probe.outcome,
      result: probe.result,
      run: probe.run,
      threshold: probe.threshold,
      time: probe.time,
    })),
  );
}

export interface StatusRow {
  readonly uid: string;
  readonly pod: string;
  readonly phase: string;
  readonly reason: string;
  readonly version: number;
  /** The pod's own conditions, in the order of its status. */
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}
export function statusRows(state: NodeState): StatusRow[] {
  return Object.values(state.pods)
    .filter((p) => p.statusVersion > 0)
    .map((p) => ({
      uid: p.uid,
      pod: shortPod(p.pod),
      phase: p.phase,
      reason: p.reason,
      version: p.statusVersion,
      conditions: list(fields(p.status)?.conditions).map((c) => ({
        type: textOf(fields(c)?.type),
        status: textOf(fields(c)?.status),
      })),
    }));
}
