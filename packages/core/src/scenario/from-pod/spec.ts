import { podRequests } from '../../api/pod/pod-resources.js';
import type { Container, Pod, PodSpec, Volume } from '../../api/types.js';
import { quantityMilliValue, quantityValue, resourceOf } from '../../base/index.js';
import type { ObservedPod } from './objects.js';

/** Fields of a spec that mean nothing without the rest of a cluster. Those with words are worth a comment. */
const dropped: readonly [keyof PodSpec | string, string][] = [
  ['nodeName', ''],
  ['serviceAccount', ''],
  ['schedulerName', ''],
  ['preemptionPolicy', ''],
  ['priorityClassName', ''],
  ['enableServiceLinks', ''],
  ['topologySpreadConstraints', ''],
  ['os', ''],
  ['automountServiceAccountToken', ''],
  ['serviceAccountName', 'no service accounts here'],
  ['imagePullSecrets', 'registries need no secrets here'],
  ['nodeSelector', 'the node has no labels of its own'],
  ['affinity', 'the node has no labels of its own'],
  ['runtimeClassName', 'there is one runtime only'],
  ['overhead', 'it belongs to the runtime class'],
  ['readinessGates', 'here no one opens them'],
  ['ephemeralContainers', 'they belonged to a debugging session'],
  ['resourceClaims', 'no devices here'],
];
/** The simulated node's resources, less what it keeps for itself. */
const roomMillis = 3900;
const roomBytes = 7.5 * 2 ** 30;
const ownResources = ['cpu', 'memory', 'ephemeral-storage'];

/** Programs that hooks may run: those of the image that stands for all. */
const hookPrograms = ['sh', '/bin/sh', 'sleep', '/bin/sleep', 'true', 'echo', 'touch', 'kill', 'rm'];

export interface CleanSpec {
  readonly spec: PodSpec;
  /** The differences from the cluster, with their reasons. */
  readonly notes: readonly string[];
}

/**
 * A pod's spec without what this node does not have. `keepsRefs`: containers that are stuck for lack of a ConfigMap or
 * Secret, which must not get better; `keepsVolumes`: the same for volumes.
 */
export function cleanSpec(
  pod: ObservedPod,
  keepsRefs: ReadonlySet<string>,
  keepsVolumes: ReadonlySet<string>,
): CleanSpec {
  const notes: string[] = [];
  const note = (text: string) => {
    if (!notes.includes(text)) notes.push(text);
  };
  const spec: PodSpec = { ...pod.spec };
  for (const name of pod.unknown) if (dropped.every(([k]) => k !== name)) note(`${name}: left out, not simulated`);
  for (const [name, why] of dropped) {
    if (!Object.hasOwn(spec, name)) continue;
    const loose = spec as unknown as Record<string, unknown>;
    const nothing = empty(loose[name]);
    delete loose[name];
    if (why !== '' && !nothing) note(`${name}: left out, ${why}`);
  }
  const gone = new Set<string>();
  const volumes = (spec.volumes ?? []).filter(Boolean).flatMap((v) => {
    const kept = keepsVolumes.has(v.name) ? v : cleanVolume(v, note);
    if (kept) return [kept];
    gone.add(v.name);
    return [];
  });
  if (volumes.length > 0) spec.volumes = volumes;
  else delete spec.volumes;
  const each = (list: readonly Container[]) =>
    list.filter(Boolean).map((c) => cleanContainer(c, gone, keepsRefs.has(c.name), note));
  spec.containers = each(spec.containers);
  if (spec.initContainers) spec.initContainers = each(spec.initContainers);
  makeRoom(spec, note);
  dropDefaults(spec);
  return { spec, notes };
}

function cleanVolume(v: Volume, note: (text: string) => void): Volume | null {
  if (v.emptyDir) return v;
  if (v.downwardAPI) return v;
  if (v.hostPath) return { ...v, hostPath: { path: v.hostPath.path, type: 'DirectoryOrCreate' } };
  if (v.projected && /^kube-api-access-/.test(v.name)) return null;
  const kind = Object.keys(v).find((k) => k !== 'name') ?? 'unknown';
  note(`volume ${v.name}: an empty one instead of ${kind}`);
  return { name: v.name, emptyDir: {} };
}

function cleanContainer(
  c: Container,
  gone: ReadonlySet<string>,
  keepsRefs: boolean,
  note: (text: string) => void,
): Container {
  const out: Container = { ...c };
  const mounts = (c.volumeMounts ?? []).filter((m) => m && !gone.has(m.name));
  if (mounts.length > 0) out.volumeMounts = mounts;
  else delete out.volumeMounts;
  delete (out as { volumeDevices?: unknown }).volumeDevices;
  if (!keepsRefs) {
    if (c.envFrom) {
      delete out.envFrom;
      note(`${c.name}: envFrom left out`);
    }
    if (c.env)
      out.env = c.env.filter(Boolean).map((e) => {
        const { secretKeyRef, configMapKeyRef, fieldRef, resourceFieldRef } = e.valueFrom ?? {};
        if (!e.valueFrom || fieldRef || resourceFieldRef) return e;
        const from = secretKeyRef ?? configMapKeyRef;
        note(`${c.name}: environment from ConfigMaps and Secrets has made-up values`);
        return { name: e.name, value: `from-${from?.name ?? 'elsewhere'}` };
      });
  }
  if (c.resources) {
    const own = (list: Record<string, string> | undefined) => {
      if (!list) return undefined;
      const others = Object.keys(list).filter((k) => !ownResources.includes(k));
      if (others.length > 0) note(`${c.name}: ${others.join(', ')} left out, the node has none`);
      return Object.fromEntries(Object.entries(list).filter(([k]) => ownResources.includes(k)));
    };
    const requests = own(c.resources.requests as Record<string, string> | undefined);
    const limits = own(c.resources.limits as Record<string, string> | undefined);
    out.resources = { ...(requests && { requests }), ...(limits && { limits }) };
  }
  if (c.lifecycle) {
    const lifecycle: Record<string, unknown> = {};
    for (const [name, hook] of Object.entries(c.lifecycle) as [
      string,
      { exec?: { command?: string[] }; sleep?: object },
    ][]) {
      if (typeof hook !== 'object' || hook.sleep || hookPrograms.includes(hook.exec?.command?.[0] ?? ''))
        lifecycle[name] = hook;
      else note(`${c.name}: ${name} left out, nothing here answers it`);
    }
    if (Object.keys(lifecycle).length > 0) out.lifecycle = lifecycle as NonNullable<Container['lifecycle']>;
    else delete out.lifecycle;
  }
  return out;
}

const empty = (v: unknown): boolean => typeof v === 'object' && v !== null && Object.keys(v).length === 0;

/** Drops what the kubelet would add anyway: it only makes the spec longer. */
function dropDefaults(spec: PodSpec): void {
  if (spec.restartPolicy === 'Always') delete spec.restartPolicy;
  if (spec.dnsPolicy === 'ClusterFirst') delete spec.dnsPolicy;
  if (empty(spec.securityContext)) delete spec.securityContext;
  const tolerations = (spec.tolerations ?? []).filter(
    (t) => t && !/^node\.kubernetes\.io\/(not-ready|unreachable)$/.test(t.key ?? ''),
  );
  if (tolerations.length > 0) spec.tolerations = tolerations;
  else delete spec.tolerations;
  for (const c of [...spec.containers, ...(spec.initContainers ?? [])]) {
    if (c.terminationMessagePath === '/dev/termination-log') delete c.terminationMessagePath;
    if (c.terminationMessagePolicy === 'File') delete c.terminationMessagePolicy;
    if (empty(c.resources)) delete c.resources;
    if (empty(c.securityContext)) delete c.securityContext;
  }
}

/** Drops resources that are more than the node has: pods of large nodes would all be refused. */
function makeRoom(spec: PodSpec, note: (text: string) => void): void {
  const requests = podRequests({ metadata: { name: '', namespace: '', uid: '' }, spec, status: {} } as Pod);
  const millis = quantityMilliValue(resourceOf(requests, 'cpu'));
  const bytes = quantityValue(resourceOf(requests, 'memory'));
  if (millis <= roomMillis && bytes <= roomBytes) return;
  note('resources: left out, they are more than the node has');
  delete spec.resources;
  for (const c of [...spec.containers, ...(spec.initContainers ?? [])]) delete c.resources;
}
