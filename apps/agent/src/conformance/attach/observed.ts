/** Makes facts of the observer's conclusions: from its records alone. */
import type { RecordOf, TraceRecord } from '@syncloop/core/trace';
import type { Fact, Facts, Kind } from './facts.js';

const SPANS: { readonly [fn: string]: string } = {
  SyncPod: 'syncPod',
  SyncTerminatingPod: 'syncTerminatingPod',
  SyncTerminatedPod: 'syncTerminatedPod',
};
const OUTCOMES = { success: 'succeeded', warning: 'succeeded', failure: 'failed', unknown: 'errored' } as const;

/** `epochMicros` is the time 0 of the records. */
export function factsOf(records: readonly TraceRecord[], epochMicros: number): Facts {
  const facts: { [K in Kind]?: Fact[] } = {};
  const plain = (kind: Kind, key: string) => {
    const list = facts[kind] ?? [];
    facts[kind] = list;
    list.push({ key });
  };
  const channels = new Map<number, string>();
  const calls = records.some((r) => r.kind === 'cri-call');
  /** The `work-start` records whose sync method was seen as well. */
  const entered = new Set(records.flatMap((r) => (r.kind === 'enter' && r.fn in SPANS ? [r.cause, r.span] : [])));
  const once = new Set<string>();
  const phases = new Set<string>();
  const ran = new Map<string, Set<string>>();
  for (const r of records) {
    const at = (epochMicros + r.time) / 1000;
    const add = (kind: Kind, key: string, timed = true) => {
      const list = facts[kind] ?? [];
      facts[kind] = list;
      list.push(timed ? { key, at } : { key });
    };
    const addOnce = (kind: Kind, key: string) => {
      if (once.has(`${kind} ${key}`)) return;
      once.add(`${kind} ${key}`);
      add(kind, key, false);
    };
    switch (r.kind) {
      case 'process':
        if (r.state === 'started' || r.state === 'running') add('processes', 'kubelet');
        break;
      case 'pod-config':
        add('config operations', `${r.op} ${r.source} ${r.pods.map(({ pod }) => pod).join(',')}`);
        break;
      case 'chan-make':
        channels.set(r.chan, r.name);
        break;
      case 'select': {
        const name = channels.get(r.cases[r.chosen] ?? -1);
        if (name !== undefined) add('turns of the loop', name);
        break;
      }
      case 'pleg-event':
        // The loop ignores these silently.
        if (r.type === 'ContainerRemoved') break;
        add('PLEG events', `${r.type} ${r.uid} ${r.data}`);
        container(r.data, r.name);
        break;
      case 'pod-update':
        if (r.dropped === undefined && !r.concluded) add('pod updates', `${r.uid} ${r.workType ?? ''}`);
        break;
      case 'enter':
        enter(r, add);
        break;
      case 'work-start':
        // Only if no source reports the methods themselves.
        if (!entered.has(r.seq))
          add('worker syncs', `${r.workType === 'sync' ? 'syncPod' : `sync${capital(r.workType)}Pod`} ${r.uid}`);
        break;
      case 'work-done':
        if (r.error !== undefined) add('failed syncs', r.uid);
        break;
      case 'step':
        if (calls || r.fn !== 'startContainer') break;
        if (r.n === 2) add('CreateContainer', 'CreateContainer');
        if (r.n === 3) add('StartContainer', 'StartContainer');
        break;
      case 'pleg-transition':
        transition(r, addOnce);
        break;
      case 'status': {
        const phase = (r.status as { readonly phase?: unknown } | null)?.phase;
        if (typeof phase === 'string') phases.add(`${r.uid} ${phase}`);
        break;
      }
      case 'cri-call':
        if (
          r.method === 'RunPodSandbox' ||
          r.method === 'CreateContainer' ||
          r.method === 'StartContainer' ||
          r.method === 'StopContainer'
        )
          add(r.method, r.method);
        break;
      case 'actual-sandbox':
        addOnce('sandboxes', r.id);
        break;
      case 'actual-container':
        if (r.state === 'running' || r.state === 'exited') addOnce('containers that ran', r.id);
        if (r.state === 'exited' && r.exitCode !== undefined)
          addOnce('containers that ended, with code', `${r.id} ${r.exitCode}`);
        container(r.id, r.name);
        break;
      case 'cri-return':
        if (r.error) add('failed calls', r.method);
        break;
      case 'backoff':
        if (r.of === 'crash-loop' && r.active) add('back-offs', `${r.uid} ${r.container} ${seconds(r.delay)}`);
        break;
      case 'probe':
        add('probes', `${r.uid} ${r.container} ${r.probeType} ${OUTCOMES[r.outcome]}`);
        break;
      case 'kube-event': {
        const { namespace, name } = r.object;
        add('Kubernetes events', `${namespace ? `${namespace}/` : ''}${name} ${r.reason}`);
        break;
      }
    }
  }
  for (const key of phases) plain('phases of pods', key);
  for (const [key, ids] of ran) for (let i = 1; i < ids.size; i++) plain('restarts', key);
  return facts;

  function enter(r: RecordOf<'enter'>, add: (kind: Kind, key: string) => void): void {
    const uid = (r.args as { readonly uid?: unknown } | undefined)?.uid;
    const span = SPANS[r.fn];
    if (span !== undefined && typeof uid === 'string') add('worker syncs', `${span} ${uid}`);
    if (calls) return;
    if (r.fn === 'createPodSandbox') add('RunPodSandbox', 'RunPodSandbox');
    if (r.fn === 'killContainer') add('StopContainer', 'StopContainer');
  }

  function transition(r: RecordOf<'pleg-transition'>, addOnce: (kind: Kind, key: string) => void): void {
    if (r.sandbox === true) {
      addOnce('sandboxes', r.id);
      return;
    }
    if (r.sandbox === undefined) return;
    if (r.new === 'running' || r.new === 'exited') addOnce('containers that ran', r.id);
    if (r.new === 'exited' && r.exitCode !== undefined)
      addOnce('containers that ended, with code', `${r.id} ${r.exitCode}`);
    if (!r.name) return;
    const key = `${r.uid} ${r.name}`;
    const ids = ran.get(key) ?? new Set();
    ran.set(key, ids.add(r.id));
    container(r.id, r.name);
  }

  function container(id: string, name: string | undefined): void {
    if (!name) return;
    const key = `${id} ${name}`;
    if (once.has(`name ${key}`)) return;
    once.add(`name ${key}`);
    plain('names of containers', key);
  }
}
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
function seconds(micros: number | undefined): string {
  if (micros === undefined) return '';
  const s = micros / 1e6;
  return s < 60 ? `${s}s` : `${Math.floor(s / 60)}m${s % 60}s`;
}
