/** The rules for records of the node, of the kubelet's process, and of the API server. */
import type { TraceRecord } from '../../trace/index.js';
import { NEVER_CHECKED } from '../findings/rules.js';
import { classify, isOfStart } from './errors.js';
import { about, healed, resourceOf, type Sign } from './sign.js';
import type { IncidentState, Rules } from './state.js';

/** A condition of runtime or node, as the kubelet words it. */
function ofRuntime(text: string): Sign {
  if (isOfStart(text)) return { kind: 'starting', what: text };
  if (/PLEG is not healthy|pleg was last seen/i.test(text) || isCutOf(PLEG, text))
    return { kind: 'pleg-unhealthy', what: text };
  const found = classify(text);
  return { kind: found?.kind ?? 'node-not-ready', what: text };
}
/** A condition of several errors, without those that a kubelet has while it starts; all if it has no other. */
function withoutStart(text: string): string {
  const parts = text.replace(/^\[|\]$/g, '').split(/, ?(?=(?:container )?runtime |PLEG |network |CSINode )/);
  return parts.find((part) => !isOfStart(part) && part !== NEVER_CHECKED) ?? text;
}
const PLEG = 'PLEG is not healthy: pleg was last seen active';
/** True for a beginning of a message, which says at least as much as a word of it: the end is not in the log. */
const isCutOf = (whole: string, text: string): boolean => text.length > 3 && whole.startsWith(text.replace(/…$/, ''));
function ofApi(text: string, fallback: Sign['kind']): Sign {
  const found = classify(text);
  return { kind: found && /^(api-|certificate)/.test(found.kind) ? found.kind : fallback, what: text };
}

const API_ANSWERS = [healed('api-unreachable'), healed('node-not-registered'), healed('certificate-invalid')];
const REFUSED = /^(Unauthorized|Forbidden)/;
const RESOURCES: { readonly [condition: string]: string } = {
  MemoryPressure: 'memory',
  DiskPressure: 'ephemeral-storage',
  PIDPressure: 'pids',
};
const READY = [
  healed('starting'),
  healed('node-not-ready'),
  healed('network-not-ready'),
  healed('pleg-unhealthy'),
  healed('runtime-down'),
  healed('node-not-registered'),
];

export const rulesOfNode: Rules = {
  api: (r) => {
    if (r.phase !== 'response') return null;
    if (r.error === undefined) return API_ANSWERS;
    if (r.code === undefined || r.code >= 500)
      return { kind: 'api-unreachable', what: r.error, facts: { operation: `${r.verb} ${r.resource}` } };
    return r.code === 401 || r.code === 403 || REFUSED.test(r.error)
      ? { kind: 'api-refused', what: r.error, facts: { operation: `${r.verb} ${r.resource}` } }
      : null;
  },
  'runtime-state': (r) => {
    const texts = [
      ...r.errors.flatMap((text) => text.replace(/^\[|\]$/g, '').split(/, (?=[A-Zc])/)),
      ...(r.networkError ? [r.networkError] : []),
    ];
    const signs = texts
      .filter((text) => /\w/.test(text))
      .map(ofRuntime)
      .map((s) => (s.kind === 'node-not-ready' ? { ...s, kind: 'runtime-down' as const } : s));
    const ends = (['runtime-down', 'pleg-unhealthy', 'network-not-ready', 'starting'] as const).filter(
      (kind) => !signs.some((s) => s.kind === kind),
    );
    return [...ends.map((kind) => healed(kind)), ...signs];
  },
  'node-condition': (r) => {
    if (r.type !== 'Ready')
      return r.status === 'True'
        ? { kind: 'pressure', part: RESOURCES[r.type] ?? r.type, what: r.message, facts: { condition: r.type } }
        : healed('pressure', { part: RESOURCES[r.type] ?? r.type });
    if (r.status === 'True') return READY;
    const why = ofRuntime(withoutStart(r.message));
    const not: Sign = { kind: 'node-not-ready', what: r.message, facts: { reason: r.reason } };
    return why.kind === 'node-not-ready' ? not : why.kind === 'starting' ? why : [why, not];
  },
  'node-status': (r) => {
    if (r.op === 'failed') return ofApi(r.error ?? '', 'api-unreachable');
    return r.op === 'set' ? null : API_ANSWERS;
  },
  'node-lease': (r) => (r.op === 'failed' ? ofApi(r.error ?? '', 'lease') : [healed('lease'), ...API_ANSWERS]),
  eviction: (r) => {
    if (r.phase === 'conditions')
      return Object.entries(RESOURCES).map(([condition, part]) =>
        (r.conditions ?? []).includes(condition)
          ? { kind: 'pressure', part, facts: { condition } }
          : healed('pressure', { part }),
      );
    if (r.phase === 'reclaim' || r.phase === 'rank')
      return {
        kind: 'pressure',
        part: resourceOf(r.resource ?? r.signal ?? ''),
        facts: {
          signal: r.signal ?? '',
          resource: r.resource ?? r.signal ?? '',
          ...(r.ranked?.[0] && {
            pods: r.ranked
              .slice(0, 5)
              .map((p) => p.pod)
              .join(', '),
          }),
        },
      };
    return r.phase === 'evict'
      ? { kind: 'eviction', ...about(r), what: r.message ?? r.signal ?? '', facts: { signal: r.signal ?? '' } }
      : null;
  },
  devices: (r) => {
    const lost = r.devices.filter((d) => d.allocated && !d.healthy).length;
    return r.endpoint !== 'connected' || lost > 0
      ? { kind: 'device', part: r.resource, facts: { resource: r.resource, endpoint: r.endpoint } }
      : healed('device', { part: r.resource });
  },
  source: (r) =>
    r.errors && r.errors.length > 0
      ? { kind: 'sources', part: r.source, what: r.errors[0], facts: { source: r.source } }
      : healed('sources', { part: r.source }),
  process: (r, state) => {
    if (r.process !== 'kubelet') return null;
    // A log that begins with a running kubelet does not have its start; after another kubelet it is one all the same.
    if (r.state === 'running' && !state.ran) state.ran = true;
    else if (r.state === 'started' || r.state === 'running') return begun(r, state);
    return null;
  },
  manager: (r, state) => {
    if (r.state === 'stopped') state.reached = true;
    return r.state === 'failed' ? { kind: 'resources', what: `${r.name}: ${r.detail ?? ''}`, part: r.name } : null;
  },
  'goroutine-end': (r) => (r.panic ? { kind: 'kubelet-panic', what: r.panic.error } : null),
  deadlock: () => ({ kind: 'kubelet-panic', what: 'deadlock' }),
};

/** A kubelet begins: those before it ended somehow. */
function begun(r: TraceRecord, state: IncidentState): readonly Sign[] {
  const first = !state.ran;
  state.ran = true;
  state.past.forgetLeaving();
  state.startSeen(r, true);
  if (first) return [];
  state.early = state.reached ? 0 : state.early + 1;
  state.reached = false;
  const restarted: Sign = { kind: 'kubelet-restarted' };
  return state.early >= 2 ? [restarted, { kind: 'kubelet-not-starting' }] : [restarted];
}
