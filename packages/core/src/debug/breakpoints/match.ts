import { glob, isGlob } from '../../expression/index.js';
import type { NodeState, RecordKind, TraceRecord } from '../../trace/index.js';
import { conditionsOf, type Memory } from './memory.js';
import type { BreakpointSpec, SpecOf } from './spec.js';

export type Match = (record: TraceRecord, state: NodeState, memory: Memory) => boolean;

/** Decides which records a breakpoint stops at. */
export interface Matcher {
  /** Only records of these kinds; null: of any. */
  readonly kinds: readonly RecordKind[] | null;
  /** It needs the state or earlier records, not the record alone. */
  readonly usesState: boolean;
  readonly matches: Match;
  /** Matches also when a back-off ends, whatever the record; says for which back-offs. */
  readonly expiries?: (expiry: { of: string; container: string }) => boolean;
}

/** Tests a name against a name or glob; accepts every name if `wanted` is not set. */
export function named(wanted: string | undefined): (name: string) => boolean {
  if (wanted === undefined || wanted === '*') return () => true;
  if (!isGlob(wanted)) return (name) => name === wanted;
  return (name) => {
    try {
      return glob(name, wanted, { left: 50_000 });
    } catch {
      // A text that takes that long to match is not a name that a user looks for.
      return false;
    }
  };
}

/** Builds a matcher for records of kind K; the set calls it only with these. */
function of<K extends RecordKind>(
  kinds: readonly K[],
  usesState: boolean,
  matches: (record: Extract<TraceRecord, { kind: K }>, state: NodeState, memory: Memory) => boolean,
): Matcher {
  return { kinds, usesState, matches: matches as unknown as Match };
}

/** The part of a breakpoint that its `on` tells; pod, condition and counts come on top. */
export function matcherOf(spec: BreakpointSpec): Matcher {
  switch (spec.on) {
    case 'channel':
      return channel(spec);
    case 'select':
      return select(spec);
    case 'config-op': {
      const source = named(spec.source);
      return of(['pod-config'], false, (r) => (spec.op === undefined || r.op === spec.op) && source(r.source));
    }
    case 'pleg-event': {
      const type = named(spec.type);
      const container = named(spec.container);
      return of(['pleg-event'], false, (r) => type(r.type) && container(r.name ?? ''));
    }
    case 'handler': {
      const name = named(spec.name);
      return of(
        ['enter'],
        true,
        (r, state) =>
          (r.fn.startsWith('Handle') || r.fn === 'handleProbeSync') && r.g === state.loop.g && r.g !== 0 && name(r.fn),
      );
    }
    case 'function': {
      const name = named(spec.name);
      const when = spec.when ?? 'enter';
      const kinds =
        when === 'both' ? (['enter', 'exit'] as const) : when === 'enter' ? (['enter'] as const) : (['exit'] as const);
      return of(kinds, false, (r) => name(r.fn) && (when !== 'error' || (r.kind === 'exit' && r.error !== undefined)));
    }
    case 'worker':
      return of(['worker'], false, (r) => spec.state === undefined || r.state === spec.state);
    case 'step': {
      const fn = named(spec.fn);
      const container = named(spec.container);
      const { step } = spec;
      const isStep = typeof step === 'number' ? null : named(step);
      return of(
        ['step', 'call-step'],
        false,
        (r) =>
          fn(r.fn) &&
          // A number of startContainer's is one of upstream's four steps, not of what is between them.
          (isStep === null ? r.n === step && (r.kind === 'step' || r.fn !== 'startContainer') : isStep(r.name)) &&
          container(r.container ?? ''),
      );
    }
    case 'cri':
      return cri(spec);
    case 'probe': {
      const container = named(spec.container);
      const stage = spec.stage ?? 'any';
      const kinds = (['probe', 'probe-result'] as const).filter(
        (k) => stage === 'any' || (stage === 'run') === (k === 'probe'),
      );
      return of(kinds, false, (r) => {
        if (spec.type !== undefined && r.probeType !== spec.type) return false;
        if (!container(r.container)) return false;
        return spec.result === undefined || (r.kind === 'probe' ? r.outcome : r.result.toLowerCase()) === spec.result;
      });
    }
    case 'phase':
      return of(['status'], true, (r, state, memory) => {
        const now = state.pods[r.uid]?.phase ?? '';
        return now !== memory.before.phase && (spec.value === undefined || now === spec.value);
      });
    case 'condition': {
      const type = named(spec.type);
      return of(['status'], true, (r, _, memory) => {
        const now = conditionsOf(r.status);
        const before = conditionsOf(memory.before.status);
        for (const [name, status] of now)
          if (type(name) && before.get(name) !== status && (spec.status === undefined || status === spec.status))
            return true;
        if (spec.status !== undefined) return false;
        for (const name of before.keys()) if (type(name) && !now.has(name)) return true;
        return false;
      });
    }
    case 'backoff':
      return backoff(spec);
    case 'kube-event': {
      const reason = named(spec.reason);
      return of(['kube-event'], false, (r) => reason(r.reason) && (spec.type === undefined || r.type === spec.type));
    }
    case 'log': {
      const message = named(spec.message);
      return of(['log'], false, (r) => message(r.msg) && (spec.severity === undefined || r.severity === spec.severity));
    }
    case 'line': {
      const file = named(spec.file);
      const fn = named(spec.fn);
      const { line } = spec;
      const wanted = line === undefined ? null : Number(line);
      return of(['part-line'], false, (r) => (wanted === null || r.line === wanted) && file(r.file) && fn(r.fn));
    }
    case 'decision': {
      const rule = named(spec.rule);
      const verdict = named(spec.verdict);
      return of(['decision'], false, (r) => rule(r.rule) && verdict(r.verdict));
    }
    case 'wait':
      return wait(spec);
    case 'record':
      return { kinds: spec.kind === undefined ? null : [spec.kind], usesState: false, matches: () => true };
    default:
      return spec satisfies never;
  }
}

function channel(spec: SpecOf<'channel'>): Matcher {
  const name = named(spec.name);
  const op = spec.op ?? 'any';
  const kinds = (['send', 'receive', 'close'] as const).filter((k) => op === 'any' || op === k);
  const anyName = spec.name === undefined;
  return of(kinds, !anyName, (r, state) => {
    if (r.kind === 'receive' && r.discarded) return false;
    return anyName || name(state.channels[r.chan]?.name ?? '');
  });
}

function select(spec: SpecOf<'select'>): Matcher {
  const chosen = named(spec.channel);
  const goroutine = named(spec.goroutine);
  const usesState = spec.channel !== undefined || spec.goroutine !== undefined;
  return of(['select'], usesState, (r, state) => {
    if (spec.several !== undefined && (r.ready?.length ?? 0) > 1 !== spec.several) return false;
    if (spec.goroutine !== undefined && !goroutine(state.goroutines[r.g]?.name ?? '')) return false;
    if (spec.channel === undefined) return true;
    const id = r.cases[r.chosen];
    return chosen(id === undefined ? 'default' : (state.channels[id]?.name ?? ''));
  });
}

function cri(spec: SpecOf<'cri'>): Matcher {
  const method = named(spec.method);
  const container = named(spec.container);
  const when = spec.when ?? 'before';
  const kinds = when === 'before' ? (['cri-call'] as const) : (['cri-return'] as const);
  return of(kinds, spec.container !== undefined, (r, state) => {
    if (!method(r.method)) return false;
    if (when === 'error' && (r.kind !== 'cri-return' || r.error === undefined)) return false;
    return spec.container === undefined || container(containerName(r, state));
  });
}

/** Name of the container that a call is about. Of one that is being made only the request or the answer tells. */
function containerName(r: Extract<TraceRecord, { kind: 'cri-call' | 'cri-return' }>, state: NodeState): string {
  let id = r.container ?? '';
  if (r.method === 'CreateContainer') {
    if (r.kind === 'cri-call') return textIn(r.request, 'config', 'metadata', 'name');
    id = textIn(r.response, 'containerId') || id;
  }
  return id !== '' && Object.hasOwn(state.containers, id) ? (state.containers[id]?.name ?? '') : '';
}

function textIn(value: unknown, ...path: string[]): string {
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return '';
    value = (value as { readonly [key: string]: unknown })[key];
  }
  return typeof value === 'string' ? value : '';
}

function backoff(spec: SpecOf<'backoff'>): Matcher {
  const container = named(spec.container);
  const when = spec.when ?? 'both';
  const mine = (b: { of: string; container: string }) =>
    (spec.of === undefined || b.of === spec.of) && container(b.container);
  return {
    ...of(['backoff'], true, (r, _, memory) => when !== 'expiry' && memory.started && mine(r)),
    ...(when === 'start' ? {} : { expiries: mine }),
  };
}

function wait(spec: SpecOf<'wait'>): Matcher {
  const name = named(spec.name);
  const goroutine = named(spec.goroutine);
  return of(['wait'], spec.name !== undefined || spec.goroutine !== undefined, (r, state) => {
    const { op, chans = [], name: own } = r.on;
    if (spec.op !== undefined && op !== spec.op) return false;
    if (spec.goroutine !== undefined && !goroutine(state.goroutines[r.g]?.name ?? '')) return false;
    if (spec.name === undefined) return true;
    return (own !== undefined && name(own)) || chans.some((id) => name(state.channels[id]?.name ?? ''));
  });
}
