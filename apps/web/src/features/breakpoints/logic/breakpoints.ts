/** Breakpoints as the page has them: the one for the selection, and the list of them. */
import type { BreakpointOn, BreakpointSpec } from '@syncloop/core/debug';
import { kindsAt, type NodeState, type TraceRecord } from '@syncloop/core/trace';
import type { Selection } from '../../../page/ui-store.js';
import { channelFor, HANDLERS, keyOfChannel } from '../../../run/loop.js';
import { POD_KILLING_CHANNEL } from '../../../run/pod-killer.js';
import { containerNamed, podOf } from '../../../selection/subject.js';
import { shortPod } from '../../../units/text.js';

/** The place at which a breakpoint stops, without an id and conditions. */
export type Target = BreakpointOn & { readonly pod?: string };

/** Returns the breakpoints for the selection; the first one is what the key B sets. */
export function targetsOf(
  state: NodeState,
  selection: Selection | null,
  record: TraceRecord | undefined,
): readonly Target[] {
  if (!selection) return [];
  const uid = podOf(state, selection, record);
  // The pod goes by name: a static pod whose manifest is changed has another uid.
  const pod = uid === '' ? {} : { pod: shortPod(state.pods[uid]?.pod ?? uid) };
  switch (selection.kind) {
    case 'pod':
      return ofPod(pod);
    case 'channel': {
      const key = keyOfChannel(selection.name);
      const exact = Object.values(state.channels).some((c) => c.name === selection.name);
      const name = exact ? selection.name : ((key && channelFor(state, key)?.name) ?? selection.name);
      return [
        { on: 'channel', name },
        { on: 'channel', name, op: 'send' },
        { on: 'channel', name, op: 'receive' },
        { on: 'select', channel: name },
        { on: 'wait', name },
      ];
    }
    case 'goroutine': {
      const name = state.goroutines[selection.id]?.name;
      const waits: readonly Target[] = name === undefined ? [] : [{ on: 'wait', goroutine: name }];
      return uid === '' ? waits : [...ofPod(pod), ...waits];
    }
    case 'container': {
      const found = containerNamed(state, selection.id);
      if (!found) return [];
      const container = found.name;
      return [
        { on: 'cri', container, ...pod },
        { on: 'pleg-event', container, ...pod },
        { on: 'step', container, ...pod },
        { on: 'backoff', container, ...pod },
        { on: 'probe', container, ...pod },
      ];
    }
    case 'sandbox':
      return [
        { on: 'cri', method: '*PodSandbox', ...pod },
        { on: 'cri', ...pod },
        { on: 'worker', ...pod },
      ];
    case 'record':
      return record ? ofRecord(state, record, pod) : [];
    case 'part':
      return ofPart(state, selection.part);
  }
}

const ofPod = (pod: { readonly pod?: string }): readonly Target[] => [
  { on: 'worker', ...pod },
  { on: 'phase', ...pod },
  { on: 'condition', ...pod },
  { on: 'step', ...pod },
  { on: 'cri', ...pod },
  { on: 'kube-event', ...pod },
];

function ofPart(state: NodeState, part: Extract<Selection, { kind: 'part' }>['part']): readonly Target[] {
  switch (part) {
    case 'loop': {
      const name = state.goroutines[state.loop.g]?.name;
      return [
        { on: 'select', ...(name !== undefined && { goroutine: name }) },
        { on: 'select', several: true, ...(name !== undefined && { goroutine: name }) },
        { on: 'handler' },
        ...HANDLERS.map((handler): Target => ({ on: 'handler', name: handler })),
      ];
    }
    case 'pleg':
      return [{ on: 'pleg-event' }, { on: 'pleg-event', type: 'ContainerDied' }, { on: 'record', kind: 'relist' }];
    case 'cri':
      return [{ on: 'cri' }, { on: 'cri', when: 'error' }];
    case 'status':
      return [{ on: 'record', kind: 'status' }, { on: 'phase' }, { on: 'condition' }];
    case 'probes':
      return [
        { on: 'probe', stage: 'result' },
        { on: 'probe', result: 'failure' },
      ];
    case 'podKiller':
      return [
        { on: 'channel', name: POD_KILLING_CHANNEL },
        { on: 'channel', name: POD_KILLING_CHANNEL, op: 'send' },
        { on: 'channel', name: POD_KILLING_CHANNEL, op: 'receive' },
      ];
    case 'podConfig':
      return [{ on: 'config-op' }];
    case 'source-file':
    case 'source-http':
    case 'source-api':
      return [{ on: 'config-op', source: part.slice('source-'.length) }];
    case 'images':
      return [
        { on: 'cri', method: 'PullImage' },
        { on: 'backoff', of: 'image-pull' },
      ];
    case 'volumes':
      return [{ on: 'record', kind: 'volume' }];
    case 'oom':
    case 'shutdown':
    case 'stats':
      return [];
    default:
      return kindsAt(part).map((kind): Target => ({ on: 'record', kind }));
  }
}

function ofRecord(state: NodeState, r: TraceRecord, pod: { readonly pod?: string }): readonly Target[] {
  const kind: Target = { on: 'record', kind: r.kind };
  const channel = (id: number | undefined) => (id === undefined ? undefined : state.channels[id]?.name);
  switch (r.kind) {
    case 'send':
    case 'receive':
    case 'close': {
      const name = channel(r.chan);
      return [{ on: 'channel', op: r.kind, ...(name !== undefined && { name }) }, kind];
    }
    case 'select': {
      const name = r.chosen < 0 ? 'default' : channel(r.cases[r.chosen]);
      return [{ on: 'select', ...(name !== undefined && { channel: name }) }, { on: 'select', several: true }, kind];
    }
    case 'pod-config':
      return [{ on: 'config-op', op: r.op, source: r.source }, { on: 'config-op', op: r.op }, kind];
    case 'enter':
      return r.g === state.loop.g && (HANDLERS as readonly string[]).includes(r.fn)
        ? [{ on: 'handler', name: r.fn }, { on: 'handler' }, kind]
        : [{ on: 'function', name: r.fn }, { on: 'function', name: r.fn, ...pod }, kind];
    case 'exit':
      return [
        { on: 'function', name: r.fn, when: r.error === undefined ? 'exit' : 'error' },
        { on: 'function', name: r.fn },
        kind,
      ];
    case 'worker':
      return [{ on: 'worker', state: r.state, ...pod }, { on: 'worker', state: r.state }, kind];
    case 'step':
    case 'call-step': {
      const container = r.container === undefined ? {} : { container: r.container };
      return [
        { on: 'step', fn: r.fn, step: r.name, ...container, ...pod },
        { on: 'step', fn: r.fn, step: r.name },
        { on: 'step', fn: r.fn },
      ];
    }
    case 'cri-call':
      return [{ on: 'cri', method: r.method, ...pod }, { on: 'cri', method: r.method }, kind];
    case 'cri-return': {
      const when = r.error ? 'error' : 'after';
      return [{ on: 'cri', method: r.method, when, ...pod }, { on: 'cri', method: r.method, when }, kind];
    }
    case 'pleg-event':
      return [{ on: 'pleg-event', type: r.type, ...pod }, { on: 'pleg-event', type: r.type }, kind];
    case 'probe':
    case 'probe-result':
      return [
        {
          on: 'probe',
          type: r.probeType,
          stage: r.kind === 'probe' ? 'run' : 'result',
          container: r.container,
          ...pod,
        },
        { on: 'probe', type: r.probeType },
        kind,
      ];
    case 'backoff':
      return [{ on: 'backoff', of: r.of, container: r.container, ...pod }, { on: 'backoff', of: r.of }, kind];
    case 'status':
      return [
        { ...kind, ...pod },
        { on: 'phase', ...pod },
        { on: 'condition', ...pod },
      ];
    case 'kube-event':
      return [{ on: 'kube-event', reason: r.reason, ...pod }, { on: 'kube-event', reason: r.reason }, kind];
    case 'log':
      return [{ on: 'log', message: r.msg }, kind];
    case 'decision':
      return [{ on: 'decision', rule: r.rule, verdict: r.verdict, ...pod }, { on: 'decision', rule: r.rule }, kind];
    case 'part-line':
      return [{ on: 'line', file: r.file, line: r.line }, { on: 'line', file: r.file, fn: r.fn }, kind];
    case 'wait':
      return [{ on: 'wait', op: r.on.op, ...(r.on.name !== undefined && { name: r.on.name }) }, kind];
    default:
      return [{ ...kind, ...pod }, kind];
  }
}

// --- the list ------------------------------------------------------------------------------------------------------

const canonical = (value: object): string =>
  JSON.stringify(
    Object.entries(value)
      .filter(([key, v]) => key !== 'id' && key !== 'enabled' && v !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  );

/** Removes targets with the same content. */
export function unique(targets: readonly Target[]): readonly Target[] {
  const seen = new Set<string>();
  return targets.filter((target) => {
    const key = canonical(target);
    return seen.has(key) ? false : seen.add(key) !== undefined;
  });
}

/** The breakpoint in the list that stops at just this, without a condition or anything else. */
export function breakpointAt(specs: readonly BreakpointSpec[], target: Target): BreakpointSpec | undefined {
  const wanted = canonical(target);
  return specs.find((spec) => canonical(spec) === wanted);
}

/** An id that no breakpoint has. */
export function freeId(specs: readonly BreakpointSpec[]): string {
  const used = new Set(specs.map((s) => s.id));
  let n = 1;
  while (used.has(`b${n}`)) n++;
  return `b${n}`;
}

/** Returns the list with that breakpoint, or without it if it was there and switched on. */
export function toggled(
  specs: readonly BreakpointSpec[],
  target: Target,
): { readonly specs: readonly BreakpointSpec[]; readonly on: boolean } {
  const there = breakpointAt(specs, target);
  if (!there) return { specs: [...specs, { ...target, id: freeId(specs) }], on: true };
  if (there.enabled === false) return { specs: specs.map((s) => (s === there ? switched(s, true) : s)), on: true };
  return { specs: specs.filter((s) => s !== there), on: false };
}

export function switched(spec: BreakpointSpec, enabled: boolean): BreakpointSpec {
  const { enabled: _, ...rest } = spec;
  return (enabled ? rest : { ...rest, enabled }) as BreakpointSpec;
}

/** The list with a breakpoint in the place of the one with its id, or at its end. */
export function withBreakpoint(specs: readonly BreakpointSpec[], spec: BreakpointSpec): readonly BreakpointSpec[] {
  return specs.some((s) => s.id === spec.id) ? specs.map((s) => (s.id === spec.id ? spec : s)) : [...specs, spec];
}
