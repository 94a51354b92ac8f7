import { deleteOptions } from '../../api/objects/meta.js';
import { isObject } from '../../base/index.js';
import { copyJSON } from '../json.js';
import { applyConfiguration } from '../patch/apply.js';
import { applyJSONPatch, applyMergePatch, PatchFailed, PatchMalformed, PatchTooLarge } from '../patch/json-patch.js';
import { applyStrategicMergePatch } from '../patch/strategic.js';
import type { DeleteOptions } from '../registry/registry.js';
import { type Env, groupVersion, type Resource, type Subresource, storageName } from '../registry/resource.js';
import {
  badRequest,
  invalid,
  methodNotSupported,
  notFound,
  requestTooLarge,
  StatusError,
  success,
  unsupportedMediaType,
} from '../status.js';
import type { ApiAnswer, ApiObject, ApiRequest, ManagedFieldsEntry } from '../types.js';
import { bodyOf, bodyText, decodeObject, type FieldValidation, mediaType } from './body.js';
import type { ServerCore } from './core.js';
import { Shaper } from './negotiate.js';
import { Filter } from './read.js';
import { flag, param, type RequestInfo } from './request-info.js';

export interface Written {
  readonly code: number;
  readonly body: unknown;
}

interface Call {
  readonly server: ServerCore;
  readonly resource: Resource;
  readonly info: RequestInfo;
  readonly request: ApiRequest;
  readonly env: Env;
}

/** Reads `dryRun`, which may only be `All`. Throws a 422. */
export function dryRunOf(request: ApiRequest, kind: string): boolean {
  const given = request.query?.dryRun;
  const all = given === undefined ? [] : typeof given === 'string' ? [given] : given;
  for (const v of all)
    if (v !== 'All')
      throw invalid('meta.k8s.io', kind, '', [
        `dryRun: Unsupported value: ${JSON.stringify(v)}: supported values: "All"`,
      ]);
  return all.length > 0;
}
/**
 * Returns the manager of the fields that a request writes: the name that it gives, else the first word of its user
 * agent.
 */
function managerOf(request: ApiRequest): string {
  const given = param(request, 'fieldManager');
  if (given.length > 128)
    throw invalid('meta.k8s.io', 'PatchOptions', '', [`fieldManager: Too long: may not be more than 128 bytes`]);
  const agent = (request.headers?.['user-agent'] ?? '').split('/')[0] ?? '';
  return given || agent.slice(0, 128) || 'unknown';
}
function validationOf(request: ApiRequest, kind: string): FieldValidation {
  const given = param(request, 'fieldValidation');
  if (given === '') return 'Warn';
  if (given === 'Ignore' || given === 'Warn' || given === 'Strict') return given;
  throw invalid('meta.k8s.io', kind, '', [
    `fieldValidation: Unsupported value: ${JSON.stringify(given)}: supported values: "", "Ignore", "Strict", "Warn"`,
  ]);
}

function decoded({ resource, request, env }: Call, value: unknown, kind: string, text?: string): ApiObject {
  return decodeObject(resource.type, value, {
    apiVersion: groupVersion(resource),
    kind: resource.kind,
    validation: validationOf(request, kind),
    text,
    warn: (t) => env.warn(t),
  });
}

/**
 * Name and namespace must be those of the path. upstream: endpoints/handlers/rest.go checkName,
 * EnsureObjectNamespaceMatchesRequestNamespace
 */
function placed({ resource, info }: Call, draft: ApiObject): ApiObject {
  const { metadata } = draft;
  if (info.name && metadata.name && metadata.name !== info.name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${info.name})`);
  if (!resource.namespaced) return draft;
  if (metadata.namespace && metadata.namespace !== info.namespace)
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  metadata.namespace = info.namespace;
  return draft;
}

/**
 * Creates an object in steps, as {@link update} and {@link patch} do: reading a large body, and making an object of it,
 * each take a turn.
 */
export function* create(call: Call): Generator<void, Written> {
  const { server, resource, info, request, env } = call;
  if (resource.namespaced && !info.namespace)
    throw new StatusError(
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
      {},
    );
  if (info.name) throw methodNotSupported(resource, 'create');
  const value = bodyOf(request, resource.type);
  if (value === undefined)
    throw badRequest(
      `${resource.kind} in version ${JSON.stringify(groupVersion(resource))} cannot be handled as a ${resource.kind}: EOF`,
    );
  yield;
  const draft = placed(call, decoded(call, value, 'CreateOptions', bodyText(request)));
  yield;
  const made = server.registry.create(resource, draft, env, { dryRun: env.dryRun, manager: managerOf(request) });
  yield;
  return { code: 201, body: new Shaper(resource, request, () => server.nowMillis()).one(made) };
}

export function* update(
  call: Call,
  subresource: { name: string; rules: Subresource } | null,
): Generator<void, Written> {
  const { server, resource, info, request, env } = call;
  const value = bodyOf(request, resource.type);
  yield;
  const draft = placed(call, decoded(call, value, 'UpdateOptions', bodyText(request)));
  yield;
  if (!draft.metadata.name) throw badRequest('name must be provided');
  const shaper = new Shaper(resource, request, () => server.nowMillis());
  const options = { dryRun: env.dryRun, manager: managerOf(request), ...(subresource && { subresource }) };
  if (!subresource && resource.strategy.createOnUpdate && !server.registry.find(resource, info.namespace, info.name)) {
    server.mustAllow(info, request, 'create');
    if (draft.metadata.uid) throw notFound(resource, info.name);
    delete draft.metadata.resourceVersion;
    return {
      code: 201,
      body: shaper.one(server.registry.create(resource, draft, env, { ...options, requestName: info.name })),
    };
  }
  const stored = server.registry.update(resource, namespaceOf(call), info.name, () => draft, env, options);
  yield;
  return { code: 200, body: shaper.one(stored) };
}
const namespaceOf = ({ resource, info }: Call): string => (resource.namespaced ? info.namespace : '');

const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

export function* patch(call: Call, subresource: { name: string; rules: Subresource } | null): Generator<void, Written> {
  const { server, resource, info, request, env } = call;
  const type = mediaType(request);
  if (!patchTypes.includes(type))
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${patchTypes.join(', ')}, application/apply-patch+cbor`,
    );
  const force = flag(request, 'force');
  if (request.query?.force !== undefined && type !== 'application/apply-patch+yaml')
    throw invalid('meta.k8s.io', 'PatchOptions', '', ['force: Forbidden: may not be specified for non-apply patch']);
  const body = bodyOf(request, null);
  const shaper = new Shaper(resource, request, () => server.nowMillis());
  const options = { dryRun: env.dryRun, manager: managerOf(request), ...(subresource && { subresource }) };
  const namespace = namespaceOf(call);
  yield;
  if (type === 'application/apply-patch+yaml') return yield* apply(call, body, force, options, shaper);
  const change = (old: ApiObject): ApiObject => {
    const next = patched(resource, type, old, body);
    if (!isObject(next))
      throw badRequest(
        `${resource.kind} in version ${JSON.stringify(groupVersion(resource))} cannot be handled as a ${resource.kind}: the patch leaves no object`,
      );
    const draft = decoded(
      call,
      next,
      'PatchOptions',
      type === 'application/json-patch+json' ? undefined : bodyText(request),
    );
    // The patch was made of the newest version, unless it speaks of one.
    return draft;
  };
  // Made a step ahead; if somebody else has written meanwhile, it is made again of what is there then.
  const old = server.registry.get(resource, namespace, info.name);
  const ahead = change(old);
  yield;
  const same = (now: ApiObject) => now.metadata.resourceVersion === old.metadata.resourceVersion;
  const make = (now: ApiObject) => (same(now) ? ahead : change(now));
  const stored = server.registry.update(resource, namespace, info.name, make, env, options);
  yield;
  return { code: 200, body: shaper.one(stored) };
}

function patched(resource: Resource, type: string, old: ApiObject, body: unknown): unknown {
  try {
    if (type === 'application/json-patch+json') return applyJSONPatch(old, body);
    if (!isObject(body))
      throw new PatchMalformed(
        'error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}',
      );
    if (type === 'application/merge-patch+json') return applyMergePatch(old, body);
    return copyJSON(applyStrategicMergePatch(resource.type, old, body));
  } catch (error) {
    if (error instanceof PatchFailed)
      throw new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
    if (error instanceof PatchMalformed) throw badRequest(error.message);
    if (error instanceof PatchTooLarge) throw requestTooLarge(error.message);
    throw error;
  }
}

function* apply(
  call: Call,
  body: unknown,
  force: boolean,
  options: { dryRun: boolean; manager: string; subresource?: { name: string; rules: Subresource } },
  shaper: Shaper,
): Generator<void, Written> {
  const { server, resource, info, request, env } = call;
  const manager = param(request, 'fieldManager');
  if (!manager)
    throw invalid('meta.k8s.io', 'PatchOptions', '', ['fieldManager: Required value: is required for apply patch']);
  if (!isObject(body)) throw badRequest('error decoding YAML: a configuration is an object');
  const config = placed(call, decoded(call, body, 'PatchOptions'));
  if (config.metadata.managedFields) throw badRequest('metadata.managedFields must be nil');
  const live = server.registry.find(resource, namespaceOf(call), info.name) ?? null;
  // The client did not ask for the defaults of the schema.
  const sparse = onlyGiven(config, body) as ApiObject;
  sparse.metadata.name = info.name;
  if (resource.namespaced) sparse.metadata.namespace = info.namespace;
  const writer = {
    manager,
    apiVersion: groupVersion(resource),
    subresource: options.subresource?.name ?? '',
    time: env.now,
  };
  const { object, managed } = applyConfiguration(resource.type, live, sparse, writer, {
    force,
    resource,
    name: info.name,
  });
  if (!live) {
    if (options.subresource) throw notFound(resource, info.name);
    // upstream: endpoints/handlers withAuthorization, as of a PUT
    server.mustAllow(info, request, 'create');
    if (config.metadata.uid) throw notFound(resource, info.name);
    const draft = decodeObject(resource.type, object, {
      apiVersion: groupVersion(resource),
      kind: resource.kind,
      validation: 'Ignore',
      warn() {},
    });
    delete draft.metadata.resourceVersion;
    const made = server.registry.create(resource, draft, env, { ...options, managed, requestName: info.name });
    yield;
    return { code: 201, body: shaper.one(made) };
  }
  const change = () => {
    const draft = decodeObject(resource.type, object, {
      apiVersion: groupVersion(resource),
      kind: resource.kind,
      validation: 'Ignore',
      warn() {},
    });
    if (sparse.metadata.resourceVersion === undefined)
      draft.metadata.resourceVersion = live.metadata.resourceVersion as string;
    return draft;
  };
  const done = server.registry.update(resource, namespaceOf(call), info.name, change, env, {
    ...options,
    managed: managed as ManagedFieldsEntry[],
  });
  yield;
  return { code: 200, body: shaper.one(done) };
}

/** Fields of a decoded value that were given. */
function onlyGiven(decodedValue: unknown, given: unknown): unknown {
  if (Array.isArray(decodedValue))
    return decodedValue.map((v, i) => onlyGiven(v, Array.isArray(given) ? given[i] : undefined));
  if (!isObject(decodedValue) || !isObject(given)) return decodedValue;
  const out: Record<string, unknown> = {};
  for (const [k, v] of Object.entries(decodedValue))
    if (Object.hasOwn(given, k) || k === 'apiVersion' || k === 'kind' || k === 'metadata')
      out[k] = onlyGiven(v, given[k]);
  return out;
}

function deleteOptionsOf({ request, env }: Call): DeleteOptions & { readonly orphan: boolean } {
  const value = bodyOf(request, deleteOptions);
  const body =
    value === undefined
      ? {}
      : decodeObject(
          deleteOptions,
          { ...(value as object), apiVersion: 'v1' },
          { apiVersion: 'v1', kind: 'DeleteOptions', validation: 'Ignore', warn: (t) => env.warn(t) },
        );
  const o = body as {
    gracePeriodSeconds?: number;
    preconditions?: { uid?: string; resourceVersion?: string };
    propagationPolicy?: string;
    orphanDependents?: boolean;
    dryRun?: string[];
  };
  const errors: string[] = [];
  for (const d of o.dryRun ?? [])
    if (d !== 'All') errors.push(`dryRun: Unsupported value: ${JSON.stringify(d)}: supported values: "All"`);
  const asked = param(request, 'gracePeriodSeconds');
  const grace = o.gracePeriodSeconds ?? (asked === '' ? undefined : Number(asked));
  if (grace !== undefined && !Number.isInteger(grace))
    errors.push(`gracePeriodSeconds: Invalid value: ${JSON.stringify(asked)}: must be a whole number`);
  const policy = o.propagationPolicy ?? (param(request, 'propagationPolicy') || undefined);
  if (policy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(policy))
    errors.push(
      `propagationPolicy: Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
    );
  if (errors.length > 0) throw invalid('meta.k8s.io', 'DeleteOptions', '', errors);
  return {
    dryRun: env.dryRun || (o.dryRun?.length ?? 0) > 0,
    orphan: policy === 'Orphan' || o.orphanDependents === true,
    ...(grace !== undefined && { gracePeriodSeconds: grace }),
    ...(o.preconditions?.uid !== undefined && { uid: o.preconditions.uid }),
    ...(o.preconditions?.resourceVersion !== undefined && { resourceVersion: o.preconditions.resourceVersion }),
    ...(policy === 'Foreground' && { propagationPolicy: policy }),
  };
}

export function remove(call: Call, orphan: (owner: ApiObject) => void): Written {
  const { server, resource, info, request, env } = call;
  const options = deleteOptionsOf(call);
  if (options.orphan && !options.dryRun) orphan(server.registry.get(resource, namespaceOf(call), info.name));
  const { object, gone } = server.registry.delete(resource, namespaceOf(call), info.name, env, options);
  if (!gone || resource.strategy.returnsDeleted)
    return { code: 200, body: new Shaper(resource, request, () => server.nowMillis()).one(object) };
  return {
    code: 200,
    body: success({
      name: info.name,
      ...(resource.group && { group: resource.group }),
      kind: resource.resource,
      uid: object.metadata.uid as string,
    }),
  };
}

/** Objects that one step of a deletion of many deletes. */
const deletedAtOnce = 20;

/** upstream: (*Store).DeleteCollection */
export function* removeAll(call: Call): Generator<void, ApiAnswer> {
  const { server, resource, info, request, env } = call;
  const options = deleteOptionsOf(call);
  const filter = Filter.of(resource, info, request);
  const done: ApiObject[] = [];
  for (const stored of server.store.list(storageName(resource), filter.namespace)) {
    if (!filter.takes(stored)) continue;
    const { name, namespace = '' } = stored.metadata;
    // Others may have been there meanwhile.
    if (!server.registry.find(resource, namespace, name)) continue;
    done.push(server.registry.delete(resource, namespace, name, env, options).object);
    if (done.length % deletedAtOnce === 0) yield;
  }
  const shaper = new Shaper(resource, request, () => server.nowMillis());
  return shaper.answer(done, { resourceVersion: String(server.store.version) });
}
