/** The incident that each symptom is a sign of. */
import type { RecordOf, SymptomCode } from '../../trace/index.js';
import { classifyOfPod, isHarmless, isOfStart } from './errors.js';
import type { IncidentKind } from './kinds.js';
import { kindOfMethod, resourceOf, type Sign } from './sign.js';
import type { IncidentFacts } from './types.js';

type Symptom = RecordOf<'symptom'>;
/** A kind of incident, or what says which one it is. */
type Row = IncidentKind | ((r: Symptom) => Partial<Sign> & { readonly kind: IncidentKind });

const said = (r: Symptom, name: string): string => (typeof r.facts[name] === 'string' ? (r.facts[name] as string) : '');
const PROBES: { readonly [probe: string]: IncidentKind } = {
  liveness: 'probe-liveness',
  readiness: 'probe-readiness',
  startup: 'probe-startup',
};

const rows: { readonly [C in SymptomCode]: Row } = {
  'kubelet-cannot-start': 'kubelet-not-starting',
  'kubelet-exited': (r) =>
    ofUnit(r) ?? { kind: said(r, 'signal') === 'KILL' ? 'kubelet-killed' : 'kubelet-not-starting' },
  'kubelet-restart-scheduled': (r) => ofUnit(r) ?? { kind: 'kubelet-not-starting' },
  'unit-failed': (r) => ofUnit(r) ?? { kind: 'kubelet-not-starting' },
  panic: (r) =>
    r.program === 'kubelet'
      ? { kind: 'kubelet-panic' }
      : { kind: 'sources', part: `panic ${r.program}`, facts: { program: r.program } },
  'oom-kill': (r) =>
    said(r, 'process') === 'kubelet'
      ? { kind: 'kubelet-killed', facts: { signal: 'OOM' } }
      : said(r, 'constraint') !== 'CONSTRAINT_NONE' &&
          (r.pod || r.uid || said(r, 'containerID') !== '' || OF_CGROUP.test(said(r, 'constraint')))
        ? { kind: 'oom' }
        : { kind: 'system-oom' },
  'clock-jumped': 'clock-jumped',
  'runtime-down': (r) => ({
    kind: 'runtime-down',
    ...(said(r, 'unit') !== '' && said(r, 'error') === '' && { what: `${said(r, 'unit')} exited` }),
  }),
  'call-failed': (r) => ({ kind: kindOfMethod(said(r, 'method')) ?? 'sync-failed' }),
  'call-timed-out': (r) => ({ kind: /^(Stop|Kill)/.test(said(r, 'method')) ? 'kill-failed' : 'runtime-slow' }),
  'name-reserved': 'name-reserved',
  'pleg-unhealthy': 'pleg-unhealthy',
  'network-not-ready': 'network-not-ready',
  'network-setup-failed': 'network-setup',
  'network-teardown-failed': 'network-teardown',
  'sandbox-failed': 'sandbox',
  'sandbox-changed': 'sandbox-died',
  'container-create-failed': 'container-create',
  'container-start-failed': (r) => ({ kind: said(r, 'reason') === 'PostStartHookError' ? 'hook' : 'container-start' }),
  'kill-failed': 'kill-failed',
  'image-pull-failed': 'image',
  'image-gc-failed': 'image-gc',
  'api-unreachable': 'api-unreachable',
  'api-refused': 'api-refused',
  'certificate-invalid': 'certificate-invalid',
  'node-not-registered': 'node-not-registered',
  'lease-failed': 'lease',
  'node-not-ready': 'node-not-ready',
  pressure: (r) => ({ kind: 'pressure', part: resourceOf(said(r, 'resource') || said(r, 'condition')) }),
  'eviction-threshold': (r) => ({ kind: 'pressure', part: resourceOf(said(r, 'resource') || said(r, 'signal')) }),
  'eviction-ranking': (r) => ({ kind: 'pressure', part: resourceOf(said(r, 'resource') || said(r, 'signal')) }),
  'device-failed': (r) => ({ kind: 'device', part: said(r, 'resource') }),
  'gc-failed': 'gc',
  'crash-loop': 'crash-loop',
  'container-exited': (r) => ({ kind: said(r, 'reason') === 'OOMKilled' ? 'oom' : 'container-exit' }),
  'probe-failed': (r) => ({ kind: PROBES[said(r, 'probe')] ?? 'probe' }),
  'hook-failed': 'hook',
  'sync-failed': 'sync-failed',
  'admission-refused': 'admission',
  'deadline-exceeded': 'deadline',
  evicted: 'eviction',
  'status-refused': 'status-refused',
  terminating: 'stuck-terminating',
  'orphaned-pod': 'orphaned-pod',
  'pod-recreated': 'pod-recreated',
  'config-missing': 'config-missing',
  'volume-not-attached': 'volume-attach',
  'volume-not-mounted': 'volume-mount',
  'volume-not-released': 'volume-release',
  'resources-failed': 'resources',
};

/** A probe whose command is not in the image has no result, and never will have one. */
const NO_COMMAND = /executable file not found|exec format error|: no such file or directory|permission denied/;

/** The words of kernels for a limit of a cgroup. */
const OF_CGROUP = /^(CONSTRAINT_MEMCG|Memory cgroup|limit)$/;

/** Errors that say in their text which container they are about. */
const CONTAINER = /restarting failed container[= ]([\w.-]+)|failed to "\w*Container" for "([^"]+)"/;

/** Units that are, or contain, the kubelet; those of container runtimes. */
const KUBELET_UNIT = /kubelet|k3s|rke2|k0s|microk8s|kubelite|hyperkube|minikube/i;
const RUNTIME_UNIT = /^(docker|containerd|cri-?o|crio|cri-docker)/i;
/** The kind of what systemd reports of a unit that is not the kubelet's. */
function ofUnit(r: Symptom): (Partial<Sign> & { readonly kind: IncidentKind }) | null {
  const unit = said(r, 'unit');
  if (unit === '' || KUBELET_UNIT.test(unit)) return null;
  return RUNTIME_UNIT.test(unit)
    ? { kind: 'runtime-down', what: `${unit} exited` }
    : { kind: 'sources', part: `unit ${unit}`, what: unit, facts: { unit } };
}

/** Returns the sign that a symptom is; null if a healthy kubelet reports it, too. */
export function signOfSymptom(r: Symptom): Sign | null {
  const row = rows[r.code];
  const own = typeof row === 'function' ? row(r) : { kind: row };
  const what = said(r, 'error') || said(r, 'message') || said(r, 'output');
  const failing = r.state === 'failing';
  // A code that says no more than that something failed: the error may say what.
  const closer = own.kind === 'sync-failed' ? classifyOfPod(what) : null;
  // The same words are harmless in a running kubelet, not where it exits because of them.
  if (failing && own.kind !== 'kubelet-not-starting' && isHarmless(what)) return null;
  if (failing && said(r, 'result') === 'unknown' && !NO_COMMAND.test(what)) return null;
  const [, waits, fails] = CONTAINER.exec(what) ?? [];
  const delay = /back-off (\S+) restarting/i.exec(what)?.[1];
  return {
    pod: r.pod,
    uid: r.uid,
    container: r.container ?? waits ?? fails,
    what,
    ...own,
    ...(closer && { kind: closer.kind }),
    facts: { ...plainFacts(r), ...(delay !== undefined && { delay }), ...own.facts },
    ...(!failing && { healed: true }),
    ...(failing && isOfStart(what) && { kind: 'starting' as const, part: undefined }),
  };
}

/** The facts that are one text or number; lists are their number and first names. */
function plainFacts(r: Symptom): IncidentFacts {
  const facts: { [name: string]: string | number } = { code: r.code, program: r.program };
  for (const [name, value] of Object.entries(r.facts)) {
    if (typeof value === 'string') facts[name] = value.slice(0, 300);
    else if (typeof value === 'number') facts[name] = value;
    else if (Array.isArray(value)) facts[name] = value.slice(0, 5).map(String).join(', ').slice(0, 300);
  }
  return facts;
}
