/**
 * ConfigMaps, Secrets and ServiceAccounts that pods of the API server refer to: when they were there, and their
 * content.
 */
import type { Micros, Seq } from '@syncloop/core/trace';
import { decoded, type JsonObject, objectOf, objectsOf, textOf } from '../base/json.js';
import { byPod } from './by-pod.js';
import { specOfDoings } from './doings.js';
import { because, isMirror, type Setting, shortName } from './pods.js';
import type { Seen, SeenCall, SeenPod } from './seen.js';
import type { TimedStep } from './write.js';

interface Wanted {
  readonly kind: 'ConfigMap' | 'Secret' | 'ServiceAccount';
  readonly namespace: string;
  readonly name: string;
  /** Values that requests show, by key; '' if none does. */
  readonly data: Map<string, string>;
  readonly pods: SeenPod[];
  optional: boolean;
}

export function objectSteps(setting: Setting): TimedStep[] {
  const { assumptions } = setting;
  const steps: TimedStep[] = [];
  for (const wanted of wantedObjects(setting)) {
    const { kind, namespace, name } = wanted;
    const about = `${kind} ${shortName(`${namespace}/${name}`)}`;
    const found = cameAt(wanted, setting);
    if (found === null) continue;
    const { at, why } = found;
    if ([...wanted.data.values()].some((value) => value === '')) assumptions.assume('object.data', about);
    const data = Object.fromEntries(wanted.data);
    const manifest = {
      apiVersion: 'v1',
      kind,
      metadata: { name, ...(namespace !== 'default' && { namespace }) },
      ...(kind === 'ConfigMap' && wanted.data.size > 0 && { data }),
      ...(kind === 'Secret' && wanted.data.size > 0 && { stringData: data }),
    };
    steps.push({ at, do: { apply: { to: 'api', manifest } }, why });
  }
  return steps;
}

/** The text as it is written in a regular expression. */
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Returns when the object was there, on the twin's clock; null: never. */
function cameAt(
  { kind, namespace, name, pods, optional }: Wanted,
  setting: Setting,
): { at: Micros; why: string } | null {
  const { seen, toTwin, assumptions } = setting;
  const word = kind.toLowerCase();
  const missing = new RegExp(
    `${word}s? "${literal(name)}" not found|object "${literal(namespace)}"/"${literal(name)}" not registered`,
    'i',
  );
  const uids = new Set(pods.map(({ uid }) => uid));
  const failures = complaints(seen, uids).filter(({ message }) => missing.test(message));
  const last = failures.at(-1);
  if (!last) {
    // An optional object that no message misses may as well be absent.
    if (optional) return null;
    return { at: 0, why: `${kind} ${name}: no source says that it was missing` };
  }
  const then = madeAfter(seen, uids, last.time);
  if (then === null) return null;
  assumptions.assume('object.when', `${kind} ${name}`);
  const at = Math.round((last.time + then) / 2);
  return {
    at: toTwin(at),
    why: because(setting, at, `${kind} ${name}: missing last, and present when a container was created`, last.seq),
  };
}

/** Returns the complaints in events, and in reasons of statuses, about pods. */
function complaints(seen: Seen, uids: ReadonlySet<string>): { time: Micros; seq: Seq; message: string }[] {
  const out: { time: Micros; seq: Seq; message: string }[] = [...uids].flatMap((uid) => byPod(seen).events.of(uid));
  out.sort((a, b) => a.seq - b.seq);
  for (const uid of uids)
    for (const { object, time, seq } of seen.pods.get(uid)?.objects ?? []) {
      const status = objectOf(object.status);
      for (const c of [...objectsOf(status.initContainerStatuses), ...objectsOf(status.containerStatuses)]) {
        const message = textOf(objectOf(objectOf(c.state).waiting).message);
        if (message) out.push({ time, seq, message });
      }
    }
  return out.sort((a, b) => a.time - b.time);
}

/** Returns when a container of these pods was first created after a moment; null: never. */
function madeAfter(seen: Seen, uids: ReadonlySet<string>, after: Micros): Micros | null {
  let first: Micros | null = null;
  const note = (time: Micros) => {
    if (time > after && (first === null || time < first)) first = time;
  };
  for (const uid of uids) {
    for (const { reason, time } of byPod(seen).events.of(uid))
      if (reason === 'Created' || reason === 'Started') note(time);
    for (const { ran, ended } of byPod(seen).containers.of(uid)) {
      const at = ran ?? ended;
      if (at !== undefined) note(at);
    }
  }
  return first;
}

function wantedObjects(setting: Setting): Wanted[] {
  const { seen, nodeName, assumptions } = setting;
  const all = new Map<string, Wanted>();
  for (const pod of seen.pods.values()) {
    if (pod.source !== 'api' || isMirror(pod, seen)) continue;
    const object = pod.objects[0]?.object ?? specOfDoings(pod, seen, { nodeName, isStatic: false, assumptions });
    const namespace = textOf(objectOf(object.metadata).namespace) || 'default';
    const want = (kind: Wanted['kind'], name: string, optional: boolean): Wanted => {
      const key = `${kind} ${namespace}/${name}`;
      let one = all.get(key);
      if (!one) {
        one = { kind, namespace, name, data: new Map(), pods: [], optional: true };
        all.set(key, one);
      }
      // All that a pod wants comes together.
      if (one.pods.at(-1) !== pod) one.pods.push(pod);
      if (!optional) one.optional = false;
      return one;
    };
    ofContainers(objectOf(object.spec), byPod(seen).calls.of(pod.uid), want);
    ofVolumes(objectOf(object.spec), want);
    const account = textOf(objectOf(object.spec).serviceAccountName);
    if (account && account !== 'default') want('ServiceAccount', account, false);
  }
  return [...all.values()].filter(({ name }) => name !== '');
}

type Want = (kind: Wanted['kind'], name: string, optional: boolean) => Wanted;

function ofContainers(spec: JsonObject, calls: readonly SeenCall[], want: Want): void {
  for (const c of [...objectsOf(spec.initContainers), ...objectsOf(spec.containers)]) {
    const made = calls.find(
      ({ method, request }) =>
        method === 'CreateContainer' && objectOf(objectOf(request.config).metadata).name === c.name,
    );
    const envs = new Map(
      objectsOf(objectOf(made?.request.config).envs).map(({ key, value }) => [textOf(key), decoded(value)]),
    );
    for (const e of objectsOf(c.env)) {
      const from = objectOf(e.valueFrom);
      for (const [field, kind] of [
        ['configMapKeyRef', 'ConfigMap'],
        ['secretKeyRef', 'Secret'],
      ] as const) {
        const ref = objectOf(from[field]);
        if (!textOf(ref.name)) continue;
        const one = want(kind, textOf(ref.name), ref.optional === true);
        one.data.set(textOf(ref.key), envs.get(textOf(e.name)) || one.data.get(textOf(ref.key)) || '');
      }
    }
    for (const source of objectsOf(c.envFrom))
      for (const [field, kind] of [
        ['configMapRef', 'ConfigMap'],
        ['secretRef', 'Secret'],
      ] as const) {
        const ref = objectOf(source[field]);
        if (!textOf(ref.name)) continue;
        const one = want(kind, textOf(ref.name), ref.optional === true);
        const own = new Set(objectsOf(c.env).map((e) => textOf(e.name)));
        const prefix = textOf(source.prefix);
        for (const [key, value] of envs)
          if (!own.has(key) && key.startsWith(prefix) && !/^KUBERNETES_|_SERVICE_(HOST|PORT)|_PORT(_|$)/.test(key))
            one.data.set(key.slice(prefix.length), value);
      }
  }
}

function ofVolumes(spec: JsonObject, want: Want): void {
  for (const volume of objectsOf(spec.volumes)) {
    const sources = [volume, ...objectsOf(objectOf(volume.projected).sources)];
    for (const source of sources) {
      const config = objectOf(source.configMap);
      const secret = objectOf(source.secret);
      const optional = config.optional === true || secret.optional === true;
      const name = textOf(config.name) || textOf(secret.secretName) || textOf(secret.name);
      // The cluster makes this one in each namespace.
      if (!name || name === 'kube-root-ca.crt') continue;
      const one = want(source.configMap !== undefined ? 'ConfigMap' : 'Secret', name, optional);
      for (const { key } of objectsOf(config.items ?? secret.items))
        if (!one.data.has(textOf(key))) one.data.set(textOf(key), '');
    }
  }
}
