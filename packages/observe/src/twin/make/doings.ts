/**
 * Makes a pod's specification if no list shows it: from the requests of its calls, its events, and its containers'
 * operations.
 */
import type { Json } from '@syncloop/core/trace';
import { decoded, type JsonObject, numberOf, objectOf, objectsOf, textOf } from '../base/json.js';
import type { Assumptions } from './assumptions.js';
import { byPod } from './by-pod.js';
import { heldBack } from './kills.js';
import { isUID, withoutNode } from './manifest.js';
import { TOGETHER } from './nameless.js';
import { killedAfter, periodOf, USUAL } from './probes.js';
import { restartPolicyOf } from './restart-policy.js';
import type { Seen, SeenPod } from './seen.js';
import { isSidecar } from './sidecars.js';

export interface DoingsOptions {
  readonly nodeName: string;
  readonly isStatic: boolean;
  readonly assumptions: Assumptions;
}

const ANY_IMAGE = 'localhost/busybox:dev';

export function specOfDoings(pod: SeenPod, seen: Seen, { nodeName, isStatic, assumptions }: DoingsOptions): JsonObject {
  const index = byPod(seen);
  const slash = pod.pod.indexOf('/');
  const namespace = pod.pod.slice(0, Math.max(0, slash));
  const name = pod.pod.slice(slash + 1);
  const init = new Map<string, JsonObject>();
  const app = new Map<string, JsonObject>();
  const inits = initNames(pod, seen);
  let grace: number | undefined;
  const add = (container: string, fields: { [key: string]: Json | undefined }) => {
    const list = inits.has(container) ? init : app;
    list.set(container, { name: container, ...list.get(container), ...fields });
  };
  const imageOf = (container: string) => (inits.has(container) ? init : app).get(container)?.image;
  for (const { container, reason, message } of index.events.of(pod.uid)) {
    if (container === '') continue;
    const image = /^(?:Container|Successfully pulled|Pulling) image "([^"]+)"/.exec(message)?.[1];
    if (reason === 'Pulled' && /already present/.test(message) && image)
      add(container, { image: imageOf(container) ?? image, imagePullPolicy: 'IfNotPresent' });
    else if (reason === 'ErrImageNeverPull' && image) add(container, { image, imagePullPolicy: 'Never' });
    // An update may bring another one later.
    else add(container, image && imageOf(container) === undefined ? { image } : {});
  }
  for (const c of index.containers.of(pod.uid)) if (c.name !== '') add(c.name, c.image ? { image: c.image } : {});
  for (const [container, fields] of checksOf(pod, seen)) add(container, fields);
  for (const { kv } of index.creating.of(pod.pod))
    if (typeof kv.container === 'string') add(containerNamed(kv.container), printedContainer(kv.container));
  for (const { kv } of index.needing.of(pod.pod)) {
    const [container, resource, needed] = [textOf(kv.containerName), textOf(kv.resourceName), numberOf(kv.needed)];
    if (container && resource.includes('/') && needed)
      add(container, { resources: { limits: { [resource]: needed } } });
  }
  for (const { method, request } of index.calls.of(pod.uid)) {
    if (method !== 'CreateContainer') continue;
    const config = objectOf(request.config);
    const container = textOf(objectOf(config.metadata).name);
    const annotations = objectOf(config.annotations);
    grace ??= numberOf(annotations['io.kubernetes.pod.terminationGracePeriod']);
    if (container) add(container, containerOf(config));
  }
  const graces = index.steps
    .of(pod.uid)
    .flatMap((s) => (s.fn === 'killContainer' && s.grace !== null ? [s.grace] : []));
  if (graces.length > 0) grace ??= Math.max(...graces);
  if (app.size === 0) add('app', {});
  const policy = restartPolicyOf(pod, seen, inits);
  const finish = (c: JsonObject): JsonObject => {
    if (c.image) return c;
    assumptions.assume('image.present', ANY_IMAGE);
    return { ...c, image: ANY_IMAGE };
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: isStatic ? withoutNode(name, nodeName) : name,
      ...(namespace && namespace !== 'default' && { namespace }),
      // Without a UID in any line, its name stands for it.
      ...(isUID(pod.uid) && { uid: pod.uid }),
    },
    spec: {
      ...(grace !== undefined && { terminationGracePeriodSeconds: grace }),
      ...(policy !== null && policy !== 'Always' && { restartPolicy: policy }),
      ...(!isStatic && { automountServiceAccountToken: false }),
      ...(init.size > 0 && {
        initContainers: [...init].map(([of, fields]) => ({
          ...finish(fields),
          ...(isSidecar(of, fields, { pod, seen, inits }) && { restartPolicy: 'Always' }),
        })),
      }),
      containers: inOrder([...app.keys()], pod, seen).map((of) => finish(app.get(of) as JsonObject)),
    },
  };
}

/**
 * Returns the names of a pod's containers in the order of its specification, as far as something shows it: its kubelet
 * starts them in it, and a sync that failed for several names them in it.
 */
function inOrder(names: readonly string[], { uid }: SeenPod, seen: Seen): string[] {
  const index = byPod(seen);
  const first = new Map<string, number>();
  for (const { name, ran, ended } of index.containers.of(uid)) {
    const began = ran ?? ended;
    if (began !== undefined) first.set(name, Math.min(began, first.get(name) ?? began));
  }
  // Reports of one relist are in no order.
  const when = (name: string) => Math.floor((first.get(name) ?? Number.MAX_SAFE_INTEGER) / TOGETHER);
  const list = [...names].sort((a, b) => when(a) - when(b) || (a < b ? -1 : 1));
  for (const { error = '' } of index.failures.of(uid)) {
    const failed = [...error.matchAll(/failed to \\?"\w+\\?" for \\?"([^"\\]+)/g)].flatMap(([, name = '']) =>
      list.includes(name) ? [name] : [],
    );
    const places = failed.map((name) => list.indexOf(name)).sort((a, b) => a - b);
    for (const [i, place] of places.entries()) list[place] = failed[i] as string;
  }
  return list;
}

function containerOf(config: JsonObject): { [key: string]: Json | undefined } {
  const image = objectOf(config.image);
  const envs = objectsOf(config.envs).filter(
    ({ key }) => !/^KUBERNETES_|_SERVICE_(HOST|PORT)|_PORT(_|$)/.test(textOf(key)),
  );
  const annotations = objectOf(config.annotations);
  const path = textOf(annotations['io.kubernetes.container.terminationMessagePath']);
  const policy = textOf(annotations['io.kubernetes.container.terminationMessagePolicy']);
  return {
    image: textOf(image.userSpecifiedImage) || textOf(image.image),
    ...(Array.isArray(config.command) && { command: config.command }),
    ...(Array.isArray(config.args) && { args: config.args }),
    ...(textOf(config.workingDir) && { workingDir: config.workingDir }),
    ...(envs.length > 0 && { env: envs.map(({ key, value }) => ({ name: textOf(key), value: decoded(value) })) }),
    ...(path && path !== '/dev/termination-log' && { terminationMessagePath: path }),
    ...(policy && policy !== 'File' && { terminationMessagePolicy: policy }),
    ...(config.stdin === true && { stdin: true }),
    ...(config.tty === true && { tty: true }),
  };
}

/** Init containers, as the paths of events name them. */
function initNames(pod: SeenPod, seen: Seen): Set<string> {
  const names = new Set<string>(seen.inits.get(pod.uid));
  const index = byPod(seen);
  for (const { container, init } of index.events.of(pod.uid)) if (init) names.add(container);
  for (const { kv } of index.creating.of(pod.pod))
    if (kv.containerType === 'init container') names.add(containerNamed(kv.container));
  for (const { by, step } of heldBack(pod.uid, seen)) if (by === 'sidecar') names.add(step.container);
  return names;
}

/** Makes probes and hooks from their outcomes alone: no source reports their actions, so they run a command. */
function checksOf(pod: SeenPod, seen: Seen): Map<string, { [key: string]: Json }> {
  const about = byPod(seen);
  const out = new Map<string, { [key: string]: Json }>();
  const handler = { exec: { command: ['true'] } };
  const give = (container: string, key: string, value: Json) =>
    out.set(container, { ...out.get(container), [key]: value });
  for (const type of ['startup', 'readiness', 'liveness'] as const) {
    const probed = about.probes.of(pod.uid).filter(({ probeType }) => probeType === type);
    for (const container of new Set(probed.map((one) => one.container))) {
      const threshold = killedAfter(pod, container, type, seen);
      const period = periodOf(pod.uid, container, type, seen);
      give(container, `${type}Probe`, {
        ...handler,
        ...(period !== USUAL && { periodSeconds: period / 1e6 }),
        ...(threshold !== null && threshold !== 3 && { failureThreshold: threshold }),
      });
    }
  }
  for (const { container, reason, message } of about.events.of(pod.uid)) {
    if (container === '') continue;
    const hook = reason === 'FailedPostStartHook' ? 'postStart' : reason === 'FailedPreStopHook' ? 'preStop' : null;
    const command = /^Exec lifecycle hook \(\[(.*?)\]\) for Container/.exec(message)?.[1];
    if (hook)
      give(container, 'lifecycle', { ...objectOf(out.get(container)?.lifecycle), [hook]: handlerOf(command) } as Json);
    const missing = /(configmap|secret)s? "([^"]+)" not found/.exec(message);
    if (missing) {
      const ref = { name: missing[2] as string };
      give(container, 'envFrom', [missing[1] === 'secret' ? { secretRef: ref } : { configMapRef: ref }] as Json);
    }
  }
  for (const { error = '' } of about.failures.of(pod.uid)) {
    // The event does not have it in every version.
    const found = /Exec lifecycle hook \(\[(.*?)\]\) for Container \\?"([^"\\]+)/.exec(error);
    if (!found || !/PostStartHookError/.test(error)) continue;
    const lifecycle = objectOf(out.get(found[2] as string)?.lifecycle);
    give(found[2] as string, 'lifecycle', { ...lifecycle, postStart: handlerOf(found[1]) } as Json);
  }
  for (const { by, step } of heldBack(pod.uid, seen))
    if (by === 'hook') give(step.container, 'lifecycle', { preStop: handler });
  for (const { fn, container } of about.steps.of(pod.uid)) {
    if (fn === 'killContainer') continue;
    const hook = fn === 'executePreStopHook' ? 'preStop' : 'postStart';
    const before = objectOf(out.get(container)?.lifecycle);
    if (!before[hook]) give(container, 'lifecycle', { ...before, [hook]: handler } as Json);
  }
  return out;
}

/** Returns the handler of a hook whose command Go printed as words. */
function handlerOf(command: string | undefined): JsonObject {
  if (command === undefined) return { exec: { command: ['true'] } };
  const shell = /^(\S*sh) (-\w*c) (.*)$/s.exec(command);
  return { exec: { command: shell ? shell.slice(1, 4) : command.split(' ') } };
}

/**
 * Returns the name in a text that is a name alone, or a struct as Go prints it: kubelets up to 1.3x do that at -v=4.
 */
function containerNamed(printed: unknown): string {
  const text = textOf(printed);
  return /^&Container\{Name:([^,]*),/.exec(text)?.[1] ?? text;
}

/** The fields of a printed container that can be read for sure; the words of a command cannot be separated. */
function printedContainer(printed: string): { [key: string]: Json } {
  const out: { [key: string]: Json } = {};
  const field = (name: string) => new RegExp(`[{,]${name}:([^,{}]*),`).exec(printed)?.[1] ?? '';
  if (!printed.startsWith('&Container{')) return out;
  for (const [name, key] of [
    ['Image', 'image'],
    ['ImagePullPolicy', 'imagePullPolicy'],
    ['TerminationMessagePolicy', 'terminationMessagePolicy'],
  ] as const)
    if (field(name)) out[key] = field(name);
  if (/,RestartPolicy:\*Always,/.test(printed)) out.restartPolicy = 'Always';
  if (out.terminationMessagePolicy === 'File') delete out.terminationMessagePolicy;
  for (const [name, key] of [
    ['LivenessProbe', 'livenessProbe'],
    ['ReadinessProbe', 'readinessProbe'],
    ['StartupProbe', 'startupProbe'],
  ] as const) {
    const at = printed.indexOf(`${name}:&Probe{`);
    if (at < 0) continue;
    const rest = printed.slice(at);
    const number = (of: string) => Number(new RegExp(`,${of}:(\\d+),`).exec(rest)?.[1] ?? 0);
    out[key] = {
      exec: { command: ['true'] },
      ...Object.fromEntries(
        (
          [
            ['InitialDelaySeconds', 'initialDelaySeconds', 0],
            ['TimeoutSeconds', 'timeoutSeconds', 1],
            ['PeriodSeconds', 'periodSeconds', 10],
            ['SuccessThreshold', 'successThreshold', 1],
            ['FailureThreshold', 'failureThreshold', 3],
          ] as const
        )
          .map(([of, field_, usual]) => [field_, number(of), usual] as const)
          .filter(([, value, usual]) => value !== usual)
          .map(([field_, value]) => [field_, value]),
      ),
    } as Json;
  }
  return out;
}
