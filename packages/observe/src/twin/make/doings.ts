/**
 * Makes a pod's specification if no list shows it: from the requests of its calls, its events, and its containers'
 * operations.
 */
import { countBefore } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import { decoded, type JsonObject, numberOf, objectOf, objectsOf, textOf } from '../base/json.js';
import type { Assumptions } from './assumptions.js';
import { byPod } from './by-pod.js';
import { isUID, withoutNode } from './manifest.js';
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
  for (const { method, request } of index.calls.of(pod.uid)) {
    if (method !== 'CreateContainer') continue;
    const config = objectOf(request.config);
    const container = textOf(objectOf(config.metadata).name);
    const annotations = objectOf(config.annotations);
    grace ??= numberOf(annotations['io.kubernetes.pod.terminationGracePeriod']);
    if (container) add(container, containerOf(config));
  }
  for (const step of index.steps.of(pod.uid)) if (step.fn === 'killContainer') grace ??= step.grace ?? undefined;
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
      containers: [...app.values()].map(finish),
    },
  };
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
    const byContainer = new Map<string, { time: number; failed: boolean }[]>();
    for (const { container, probeType, outcome, time } of about.probes.of(pod.uid)) {
      if (probeType !== type) continue;
      const list = byContainer.get(container);
      if (list) list.push({ time, failed: outcome === 'failure' });
      else byContainer.set(container, [{ time, failed: outcome === 'failure' }]);
    }
    for (const [container, failures] of byContainer) {
      const between = failures.slice(1).map(({ time }, i) => time - (failures[i]?.time ?? 0));
      between.sort((a, b) => a - b);
      const period = Math.max(1, Math.round((between[Math.floor(between.length / 2)] ?? 10e6) / 1e6));
      const threshold = killedAfter(pod, container, type, seen);
      give(container, `${type}Probe`, {
        ...handler,
        ...(period !== 10 && { periodSeconds: period }),
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

/** Returns the number of failures in a row after which the kubelet stopped the container; null: it never did. */
function killedAfter(pod: SeenPod, container: string, type: string, seen: Seen): number | null {
  let least: number | null = null;
  const index = byPod(seen);
  const probes = index.probes.of(pod.uid).filter((p) => p.container === container && p.probeType === type);
  const killing = index.events.of(pod.uid).filter(({ reason }) => reason === 'Killing');
  // Below -v=3 there are no events.
  for (const { container: of, message, time } of killing.length > 0 ? killing : index.kills.of(pod.uid)) {
    if (of !== container || !message.includes(`failed ${type} probe`)) continue;
    let n = 0;
    for (
      let i = countBefore(probes.length, (at) => (probes[at] as { time: number }).time <= time + 20_000) - 1;
      i >= 0;
      i--
    ) {
      if (probes[i]?.outcome !== 'failure') break;
      n++;
    }
    if (n > 0 && (least === null || n < least)) least = n;
  }
  return least;
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
