/** Makes a manifest of a Pod as the kubelet lists it: without what the server, the defaults and the kubelet add. */
import { isObject } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import { type JsonObject, objectOf, objectsOf, sameJson, textOf } from '../base/json.js';

type Defaults = { readonly [field: string]: Json };

const POD: Defaults = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
  enableServiceLinks: true,
  priority: 0,
  preemptionPolicy: 'PreemptLowerPriority',
};
const CONTAINER: Defaults = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  resources: {},
};
const PROBE: Defaults = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
const PORT: Defaults = { protocol: 'TCP' };
const NO_EXECUTE = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
/** Annotations that the kubelet itself sets. */
const OWN_ANNOTATION = /^kubernetes\.io\/config\.(hash|seen|source|mirror)$/;

export interface ManifestOptions {
  readonly nodeName: string;
  /** It came from a file: the manifest has neither the node's suffix nor a node. */
  readonly isStatic: boolean;
}

/** `object` is a Pod of the API, whole. */
export function manifestOf(object: JsonObject, { nodeName, isStatic }: ManifestOptions): JsonObject {
  const metadata = objectOf(object.metadata);
  const name = textOf(metadata.name);
  const namespace = textOf(metadata.namespace);
  const annotations = Object.entries(objectOf(metadata.annotations)).filter(([key]) => !OWN_ANNOTATION.test(key));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: isStatic ? withoutNode(name, nodeName) : name,
      ...(namespace && namespace !== 'default' && { namespace }),
      // The kubelet derives the UID of a static pod from the bytes of its file, which are lost.
      ...(isUID(textOf(metadata.uid)) && { uid: textOf(metadata.uid) }),
      ...(isObject(metadata.labels) && { labels: metadata.labels }),
      ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    },
    spec: specOf(objectOf(object.spec), isStatic),
  };
}

/** True if a kubelet takes it for a pod's UID: it names a folder. */
export const isUID = (text: string): boolean => /^[\w.-]{1,255}$/.test(text) && !/^\.+$/.test(text);

export const withoutNode = (name: string, nodeName: string): string =>
  name.endsWith(`-${nodeName}`) ? name.slice(0, -nodeName.length - 1) : name;

function specOf(spec: JsonObject, isStatic: boolean): JsonObject {
  const { nodeName: _, tolerations, initContainers, containers, ephemeralContainers, serviceAccount, ...rest } = spec;
  const out: { [key: string]: Json | undefined } = { ...without(rest, POD) };
  // The old name of the same field.
  if (rest.serviceAccountName === undefined && serviceAccount) out.serviceAccountName = serviceAccount;
  if (out.serviceAccountName === 'default') delete out.serviceAccountName;
  const own = objectsOf(tolerations).filter((t) => !isAdded(t, isStatic));
  if (own.length > 0) out.tolerations = own;
  const some = { initContainers, containers, ephemeralContainers };
  for (const [list, value] of Object.entries(some)) {
    const all = objectsOf(value);
    if (all.length > 0) out[list] = all.map(containerOf);
  }
  return out;
}

/** True if the kubelet gives this toleration to every static pod, or admission to every pod of the API server. */
function isAdded(toleration: JsonObject, isStatic: boolean): boolean {
  if (isStatic) return sameJson(toleration, { operator: 'Exists', effect: 'NoExecute' });
  const { key, effect, tolerationSeconds } = toleration;
  return NO_EXECUTE.includes(textOf(key)) && effect === 'NoExecute' && tolerationSeconds === 300;
}

function containerOf(container: JsonObject): JsonObject {
  const out: { [key: string]: Json | undefined } = { ...without(container, CONTAINER) };
  if (out.imagePullPolicy === pullPolicy(textOf(out.image))) delete out.imagePullPolicy;
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe'])
    if (isObject(out[probe])) out[probe] = without(out[probe], PROBE);
  if (Array.isArray(out.ports)) out.ports = objectsOf(out.ports).map((port) => without(port, PORT));
  return out;
}

/** upstream: pkg/apis/core/v1/defaults.go SetDefaults_Container */
function pullPolicy(image: string): string {
  const last = image.slice(image.lastIndexOf('/') + 1);
  return last.includes('@') || (last.includes(':') && !last.endsWith(':latest')) ? 'IfNotPresent' : 'Always';
}

function without(object: JsonObject, defaults: Defaults): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([key, value]) => value !== undefined && !sameJson(value, defaults[key])),
  );
}

/** The merge patch (RFC 7386) that makes `after` of `before`; undefined if they are the same. */
export function patchOf(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch: { [key: string]: Json } = {};
  for (const key of Object.keys(before)) if (after[key] === undefined && before[key] !== undefined) patch[key] = null;
  for (const [key, value] of Object.entries(after)) {
    const old = before[key];
    if (value === undefined || sameJson(old, value)) continue;
    const inner = isObject(old) && isObject(value) ? patchOf(old, value) : undefined;
    patch[key] = (inner ?? value) as Json;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}
