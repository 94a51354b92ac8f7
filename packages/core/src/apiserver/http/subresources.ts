import { tokenRequest } from '../../api/objects/authentication.js';
import { binding } from '../../api/objects/core.js';
import { eviction } from '../../api/objects/eviction.js';
import { isObject } from '../../base/index.js';
import type { BoundObject } from '../authentication/index.js';
import { copyJSON, type JsonObject } from '../json.js';
import { newUid } from '../registry/registry.js';
import type { Env, Resource } from '../registry/resource.js';
import { pods } from '../resources/index.js';
import { asPod } from '../resources/pod.js';
import {
  badRequest,
  conflict,
  forbidden,
  invalid,
  methodNotSupported,
  notFound,
  type StatusError,
  success,
} from '../status.js';
import type { ApiForward, ApiObject, ApiRequest } from '../types.js';
import { bodyOf, bodyText, decodeObject } from './body.js';
import type { ServerCore } from './core.js';
import { param, type RequestInfo } from './request-info.js';
import type { Written } from './write.js';

const minute = 60;

/** Binds a pod to a node. upstream: pkg/registry/core/pod/storage (*BindingREST) */
export function bind(server: ServerCore, info: RequestInfo, request: ApiRequest, env: Env): Written {
  const draft = decodeObject(binding, bodyOf(request, binding), {
    apiVersion: 'v1',
    kind: 'Binding',
    validation: 'Warn',
    text: bodyText(request),
    warn: (t) => env.warn(t),
  });
  const name = info.name || draft.metadata.name;
  if (draft.metadata.name && draft.metadata.name !== name)
    throw badRequest('name in URL does not match name in Binding object');
  const target = draft.target as { kind?: string; name?: string };
  const errors: string[] = [];
  if (target.kind && target.kind !== 'Node')
    errors.push(`target.kind: Unsupported value: ${JSON.stringify(target.kind)}: supported values: "Node", "<empty>"`);
  if (!target.name) errors.push('target.name: Required value');
  if (errors.length > 0) throw invalid('', 'Binding', name, errors);
  bindPod(server, info.namespace, name, target.name as string, env, draft.metadata.annotations);
  return { code: 201, body: success(undefined, 201) };
}

/** upstream: setPodHostAndAnnotations, assignPod */
export function bindPod(
  server: ServerCore,
  namespace: string,
  name: string,
  node: string,
  env: Env,
  annotations: Readonly<Record<string, string>> = {},
): void {
  const gr = { group: '', resource: 'pods/binding' };
  const change = (old: ApiObject): ApiObject => {
    const pod = asPod(old);
    const no = (why: string) => conflict(gr, name, why);
    if (pod.metadata.deletionTimestamp) throw no(`pod ${name} is being deleted, cannot be assigned to a host`);
    if (pod.spec.nodeName) throw no(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
    if ((old.spec as { schedulingGates?: unknown[] }).schedulingGates?.length)
      throw no(`pod ${name} has non-empty .spec.schedulingGates`);
    const next = copyJSON(old);
    (next.spec as JsonObject).nodeName = node;
    if (Object.keys(annotations).length > 0)
      next.metadata.annotations = { ...next.metadata.annotations, ...annotations };
    const status = (next.status ?? {}) as { conditions?: JsonObject[] };
    const condition = {
      type: 'PodScheduled',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: env.now,
      observedGeneration: next.metadata.generation,
    };
    status.conditions = [...(status.conditions ?? []).filter((c) => c.type !== 'PodScheduled'), condition];
    next.status = status;
    return next;
  };
  const rules = { verbs: ['create'], prepareForUpdate() {} };
  server.registry.update(pods, namespace, name, change, env, {
    dryRun: env.dryRun,
    manager: 'kube-scheduler',
    subresource: { name: 'binding', rules },
  });
}

/** Evicts a pod; there are no disruption budgets here. upstream: (*EvictionREST).Create */
export function evict(server: ServerCore, info: RequestInfo, request: ApiRequest, env: Env): Written {
  const value = bodyOf(request, eviction);
  if (!isObject(value)) throw badRequest('an Eviction is needed');
  const apiVersion = value.apiVersion === 'policy/v1beta1' ? 'policy/v1beta1' : 'policy/v1';
  const draft = decodeObject(eviction, value, {
    apiVersion,
    kind: 'Eviction',
    validation: 'Warn',
    text: bodyText(request),
    warn: (t) => env.warn(t),
  });
  if (draft.metadata.name && draft.metadata.name !== info.name)
    throw badRequest('name in URL does not match name in Eviction object');
  const old = server.registry.get(pods, info.namespace, info.name);
  const { namespace, name } = info;
  server.registry.admit({
    resource: pods,
    subresource: 'eviction',
    operation: 'CREATE',
    namespace,
    name,
    requestName: name,
    object: draft,
    old,
    env,
  });
  const options = (draft.deleteOptions ?? {}) as {
    gracePeriodSeconds?: number;
    preconditions?: { uid?: string };
    dryRun?: string[];
  };
  const dryRun = env.dryRun || (options.dryRun?.length ?? 0) > 0;
  const pod = old;
  const running = !['Succeeded', 'Failed'].includes(asPod(pod).status?.phase ?? '');
  if (running && !dryRun && !pod.metadata.deletionTimestamp)
    server.registry.update(
      pods,
      info.namespace,
      info.name,
      (old) => {
        const next = copyJSON(old);
        const status = (next.status ?? {}) as { conditions?: JsonObject[] };
        const condition = {
          type: 'DisruptionTarget',
          observedGeneration: next.metadata.generation,
          status: 'True',
          lastProbeTime: null,
          lastTransitionTime: env.now,
          reason: 'EvictionByEvictionAPI',
          message: 'Eviction API: evicting',
        };
        status.conditions = [...(status.conditions ?? []).filter((c) => c.type !== 'DisruptionTarget'), condition];
        next.status = status;
        return next;
      },
      env,
      {
        dryRun: false,
        manager: 'kube-apiserver',
        subresource: { name: 'status', rules: { verbs: [], prepareForUpdate() {} } },
      },
    );
  server.registry.delete(pods, info.namespace, info.name, env, {
    dryRun,
    ...(options.gracePeriodSeconds !== undefined && { gracePeriodSeconds: options.gracePeriodSeconds }),
    ...(options.preconditions?.uid !== undefined && { uid: options.preconditions.uid }),
  });
  return { code: 201, body: success(undefined, 201) };
}

/**
 * The least and the greatest validity of a token, seconds. upstream: MinTokenAgeSec,
 * --service-account-max-token-expiration
 */
const [shortest, longest] = [10 * minute, 365 * 24 * 3600];
/**
 * A pod's token of this length is valid for as long as possible, and its use is warned about after this time: old
 * programs do not read their token again. upstream: WarnOnlyBoundTokenExpirationSeconds,
 * --service-account-extend-token-expiration
 */
const warnedOf = 3607;

interface TokenRequestSpec {
  audiences?: string[] | null;
  expirationSeconds?: number;
  boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string };
}

/** A token of a service account. upstream: pkg/registry/core/serviceaccount/storage (*TokenREST).Create */
export function createToken(
  server: ServerCore,
  resource: Resource,
  info: RequestInfo,
  request: ApiRequest,
  env: Env,
): Written {
  const draft = decodeObject(tokenRequest, bodyOf(request, tokenRequest), {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    validation: 'Warn',
    text: bodyText(request),
    warn: (t) => env.warn(t),
  });
  const { namespace, name } = info;
  const refused = (errors: readonly string[]) => invalid('authentication.k8s.io', 'TokenRequest', name, errors);
  const { metadata } = draft;
  if (metadata.name && metadata.name !== name)
    throw refused([
      `metadata.name: Invalid value: ${JSON.stringify(metadata.name)}: must match the service account name if specified`,
    ]);
  if (metadata.namespace && metadata.namespace !== namespace)
    throw refused([
      `metadata.namespace: Invalid value: ${JSON.stringify(metadata.namespace)}: must match the service account namespace if specified`,
    ]);
  const account = server.registry.get(resource, namespace, name);
  const uid = account.metadata.uid as string;
  if (metadata.uid && metadata.uid !== uid)
    throw conflict(
      { group: 'authentication.k8s.io', resource: 'TokenRequest' },
      name,
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
    );
  server.registry.admit({
    resource,
    subresource: 'token',
    operation: 'CREATE',
    namespace,
    name,
    requestName: name,
    object: draft,
    old: account,
    env,
  });
  const spec = draft.spec as TokenRequestSpec;
  if (!spec.audiences?.length) spec.audiences = [server.issuer];
  spec.expirationSeconds ??= 3600;
  checkDuration(spec.expirationSeconds);
  const ref = spec.boundObjectRef;
  const bound = ref && boundObject(ref, info, env);
  if (spec.expirationSeconds > longest) {
    env.warn(`requested expiration of ${spec.expirationSeconds} seconds shortened to ${longest} seconds`);
    spec.expirationSeconds = longest;
  }
  const seconds = spec.expirationSeconds;
  const issued = Math.floor(env.nowMillis / 1000);
  const extended =
    server.signsTokens &&
    bound?.kind === 'Pod' &&
    seconds === warnedOf &&
    spec.audiences.every((a) => a === server.issuer);
  const node = bound?.kind === 'Pod' && server.signsTokens ? nodeOfPod(bound.name, namespace, env) : null;
  const token = server.issueToken({
    namespace,
    serviceAccount: name,
    uid,
    audiences: spec.audiences,
    issued,
    expires: issued + (extended ? longest : seconds),
    ...(extended && { warnAfter: issued + seconds }),
    ...(bound && { bound }),
    ...(node && { node }),
    ...(server.signsTokens && { id: newUid(env) }),
  });
  metadata.name = name;
  metadata.namespace = namespace;
  if (server.signsTokens) metadata.uid = uid;
  metadata.creationTimestamp = env.now;
  draft.status = {
    token,
    expirationTimestamp: new Date((issued + seconds) * 1000).toISOString().replace('.000Z', 'Z'),
  };
  return { code: 201, body: draft };
}
/** upstream: ValidateTokenRequest */
function checkDuration(seconds: number): void {
  const errors: string[] = [];
  if (seconds < shortest)
    errors.push(`spec.expirationSeconds: Invalid value: ${seconds}: may not specify a duration less than 10 minutes`);
  if (seconds > 2 ** 32)
    errors.push(
      `spec.expirationSeconds: Invalid value: ${seconds}: may not specify a duration larger than 2^32 seconds`,
    );
  if (errors.length > 0) throw invalid('authentication.k8s.io', 'TokenRequest', '', errors);
}
const boundKinds: Readonly<Record<string, string>> = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' };
/** The object that a token is to be bound to. Throws 400, 404, 409. */
function boundObject(
  ref: NonNullable<TokenRequestSpec['boundObjectRef']>,
  { namespace, name: account }: RequestInfo,
  env: Env,
): BoundObject {
  const { kind = '', apiVersion = '', name = '' } = ref;
  const plural = Object.hasOwn(boundKinds, kind) ? boundKinds[kind] : undefined;
  if (!plural || (apiVersion && apiVersion !== 'v1'))
    throw badRequest(`cannot bind token to object of type ${apiVersion}, Kind=${kind}`);
  const there = env.lookup(plural, plural === 'nodes' ? '' : namespace, name);
  if (!there) throw notFound({ group: '', resource: plural }, name);
  const uid = there.metadata.uid as string;
  if (plural === 'pods' && (there.spec as { serviceAccountName?: string }).serviceAccountName !== account)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  if (ref.uid && ref.uid !== uid)
    throw conflict(
      { group: '', resource: plural },
      name,
      `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return { kind: kind as BoundObject['kind'], name, uid };
}
/** The node on which the token will be used. If it has no Node object, only its name is given. */
function nodeOfPod(pod: string, namespace: string, env: Env): { name: string; uid?: string } | null {
  const found = env.lookup('pods', namespace, pod)?.spec as { nodeName?: string } | undefined;
  const nodeName = found?.nodeName;
  if (!nodeName) return null;
  const uid = env.lookup('nodes', '', nodeName)?.metadata.uid;
  return { name: nodeName, ...(uid && { uid }) };
}

const forwarded = ['log', 'exec', 'attach', 'portforward'];
/** The subresources that open a stream into a container. */
const streams = ['exec', 'attach', 'portforward'];

/**
 * A request that the host passes on to the kubelet of the pod. Streams need `create`, by whichever method they are
 * asked for: a websocket is opened by GET, whose verb is `get`. upstream: pkg/registry/core/pod strategy.go
 * LogLocation, streamLocation; pkg/registry/core/pod/rest ensureAuthorizedForVerb
 * (AuthorizePodWebsocketUpgradeCreatePermission)
 */
export function forward(server: ServerCore, resource: Resource, info: RequestInfo, request: ApiRequest): ApiForward {
  const { name, namespace, subresource } = info;
  const query = request.query ?? {};
  // Checked first, so that a client that may not open a stream does not learn which pods exist.
  if (resource.resource === 'pods' && streams.includes(subresource) && info.verb !== 'create')
    server.mustAllow(info, request, 'create');
  const found = server.registry.get(resource, resource.namespaced ? namespace : '', name);
  if (resource.resource === 'nodes')
    return {
      kind: 'forward',
      resource: 'nodes',
      subresource,
      namespace: '',
      name,
      nodeName: name,
      container: '',
      path: info.rest,
      query,
    };
  if (!forwarded.includes(subresource)) throw methodNotSupported(resource, info.verb);
  const pod = asPod(found);
  const nodeName = pod.spec.nodeName ?? '';
  const container = subresource === 'portforward' ? '' : containerOf(pod, param(request, 'container'));
  if (!nodeName) {
    // A pod without a node has no logs yet, and no stream into it can be opened.
    throw badRequest(
      subresource === 'log' ? `pod ${name} does not have a host assigned` : `pod ${name} does not have a host assigned`,
    );
  }
  if (subresource === 'exec' && !Object.hasOwn(query, 'command'))
    throw badRequest('you must specify at least 1 command for the container');
  return {
    kind: 'forward',
    resource: 'pods',
    subresource,
    namespace,
    name,
    nodeName,
    container,
    path: info.rest,
    query,
  };
}

/** upstream: pkg/registry/core/pod podutil, strategy.go */
function containerOf(pod: ReturnType<typeof asPod>, asked: string): string {
  const all = [...pod.spec.containers, ...(pod.spec.initContainers ?? []), ...(pod.spec.ephemeralContainers ?? [])].map(
    (c) => c.name,
  );
  const { name } = pod.metadata;
  if (asked) {
    if (!all.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
    return asked;
  }
  if (pod.spec.containers.length === 1 && all.length === 1) return all[0] as string;
  const init = (pod.spec.initContainers ?? []).map((c) => c.name);
  const own = pod.spec.containers.map((c) => c.name);
  if (all.length === 0) throw badRequest(`a container name must be specified for pod ${name}`);
  throw badRequest(
    init.length > 0
      ? `a container name must be specified for pod ${name}, choose one of: [${own.join(' ')}] or one of the init containers: [${init.join(' ')}]`
      : `a container name must be specified for pod ${name}, choose one of: [${own.join(' ')}]`,
  );
}

export const protectedNamespaces = ['default', 'kube-public', 'kube-system'];
export const refuseNamespace = (name: string): StatusError =>
  forbidden({ group: '', resource: 'namespaces' }, name, 'this namespace may not be deleted');
