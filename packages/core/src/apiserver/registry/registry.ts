import type { AdmissionPlugin, AdmissionRequest } from '../admission/index.js';
import { copyJSON, equalJSON } from '../json.js';
import { updateManagedFields } from '../patch/managed-fields.js';
import {
  alreadyExists,
  conflict,
  forbidden,
  internalError,
  invalid,
  modified,
  notFound,
  StatusError,
} from '../status.js';
import { keyOf, type Store } from '../storage/store.js';
import type { ApiObject, ManagedFieldsEntry } from '../types.js';
import { validateMeta, validateMetaUpdate } from './names.js';
import { type Env, groupVersion, type Resource, type Subresource, storageName } from './resource.js';

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The manager that owns the written fields. */
  readonly manager: string;
  /** The name in the path of a request that creates what it would update. */
  readonly requestName?: string;
}
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: string;
  readonly dryRun: boolean;
}

/**
 * Creates, updates and deletes objects by the rules of their resource. upstream: apiserver
 * pkg/registry/generic/registry (*Store)
 */
export class Registry {
  constructor(
    readonly store: Store,
    /** Called when an object is gone. */
    private readonly onGone: (resource: Resource, object: ApiObject) => void,
    private readonly plugins: readonly AdmissionPlugin[] = [],
  ) {}

  /** Asks the admission plug-ins before an object is validated; they throw what they do not let through. */
  admit(request: AdmissionRequest): void {
    for (const p of this.plugins) p.admit?.(request);
  }
  /** Runs the plug-ins after the object is validated. */
  private admitValidated(request: AdmissionRequest): void {
    for (const p of this.plugins) p.validate?.(request);
  }

  find(r: Resource, namespace: string, name: string): ApiObject | undefined {
    const stored = this.store.get(storageName(r), keyOf(namespace, name));
    return stored && r.view ? r.view.read(stored) : stored;
  }
  get(r: Resource, namespace: string, name: string): ApiObject {
    const found = this.find(r, namespace, name);
    if (!found) throw notFound(r, name);
    return found;
  }
  /** The object for readers, who do not see changes that could still be lost. */
  getCommitted(r: Resource, namespace: string, name: string): ApiObject {
    const stored = this.store.getCommitted(storageName(r), keyOf(namespace, name));
    if (!stored) throw notFound(r, name);
    return this.read(r, stored);
  }
  /** A change by a controller rather than by a request. `object` is the new state. */
  putDirectly(r: Resource, object: ApiObject): ApiObject {
    return this.store.put(storageName(r), r.view ? r.view.write(object) : object);
  }

  /** Stores an object. The cluster's own parts may go on when the store is full for everybody else. */
  private put(r: Resource, object: ApiObject, { user }: Env): ApiObject {
    const own = user.name === 'system:apiserver' || user.groups.includes('system:nodes');
    return own ? this.store.withReserve(() => this.putDirectly(r, object)) : this.putDirectly(r, object);
  }

  /** Creates an object of `draft`, which it keeps. upstream: (*Store).Create */
  create(
    r: Resource,
    draft: ApiObject,
    env: Env,
    { dryRun, manager, managed, requestName = '' }: WriteOptions & { readonly managed?: ManagedFieldsEntry[] },
  ): ApiObject {
    const { metadata } = draft;
    if (metadata.resourceVersion) throw internalError('resourceVersion should not be set on objects to be created');
    metadata.name ??= '';
    const generated = !metadata.name && !!metadata.generateName;
    if (generated) metadata.name = generateName(metadata.generateName as string, env);
    const { identity } = env;
    metadata.uid = identity?.uid ?? newUid(env);
    metadata.creationTimestamp = identity?.creationTimestamp ?? env.now;
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
    delete metadata.generation;
    delete (metadata as { selfLink?: string }).selfLink;
    delete metadata.managedFields;
    // An object that is too large is refused before any other work.
    this.store.checkSize(draft);
    r.strategy.defaults?.(draft);
    const request: AdmissionRequest = {
      resource: r,
      subresource: '',
      operation: 'CREATE',
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      requestName,
      object: draft,
      old: null,
      env,
    };
    this.admit(request);
    const owned =
      managed ?? this.managed(r, null, r.subresources?.status ? { ...draft, status: {} } : draft, manager, '', env);
    if (owned.length > 0) metadata.managedFields = owned;
    r.strategy.prepareForCreate?.(draft, env);
    const name = metadata.name;
    // Admission comes before validation, as in the real server's chain.
    if (r.namespaced) this.checkNamespace(r, draft, env);
    const errors = [...validateMeta(metadata, r.namespaced, r.nameRule), ...(r.strategy.validate?.(draft, env) ?? [])];
    if (errors.length > 0) throw invalid(r.group, r.kind, name, dedupe(errors));
    this.admitValidated(request);
    for (const w of r.strategy.warnings?.(draft) ?? []) env.warn(w);
    if (this.find(r, metadata.namespace ?? '', name)) {
      if (generated)
        throw new StatusError(
          500,
          'ServerTimeout',
          `${r.resource} ${JSON.stringify(name)} already exists, the server was not able to generate a unique name for the object`,
          { name, kind: r.resource, retryAfterSeconds: 1 },
        );
      throw alreadyExists(r, name);
    }
    if (dryRun) return draft;
    if (identity?.resourceVersion !== undefined) this.store.advance(Number(identity.resourceVersion) - 1);
    return this.read(r, this.put(r, draft, env));
  }

  private read(r: Resource, stored: ApiObject): ApiObject {
    return r.view ? r.view.read(stored) : stored;
  }

  /** upstream: plugin/pkg/admission/namespace/lifecycle */
  private checkNamespace(r: Resource, draft: ApiObject, env: Env): void {
    const namespace = draft.metadata.namespace as string;
    const found = env.lookup('namespaces', '', namespace);
    if (!found) throw notFound({ group: '', resource: 'namespaces' }, namespace);
    if (found.metadata.deletionTimestamp)
      throw forbidden(
        r,
        draft.metadata.name,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
        [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${namespace} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      );
  }

  /**
   * Updates an object: `change` makes the new object of a copy of the old one; null: it may be created of `change({})`.
   * upstream: (*Store).Update
   */
  update(
    r: Resource,
    namespace: string,
    name: string,
    change: (old: ApiObject) => ApiObject,
    env: Env,
    options: WriteOptions & {
      readonly subresource?: { name: string; rules: Subresource };
      readonly managed?: ManagedFieldsEntry[];
    },
  ): ApiObject {
    const old = this.get(r, namespace, name);
    const draft = change(old);
    this.store.checkSize(draft);
    const { metadata } = draft;
    this.checkVersions(r, draft, old, !!options.subresource);
    metadata.name ||= name;
    if (namespace) metadata.namespace ||= namespace;
    delete (metadata as { selfLink?: string }).selfLink;
    if (old.metadata.generation === undefined) delete metadata.generation;
    else metadata.generation = old.metadata.generation;
    const sub = options.subresource;
    const request: AdmissionRequest = {
      resource: r,
      subresource: sub?.name ?? '',
      operation: 'UPDATE',
      namespace,
      name,
      requestName: name,
      object: draft,
      old,
      env,
    };
    this.admit(request);
    if (sub) {
      if (sub.rules.prepareForUpdate) sub.rules.prepareForUpdate(draft, old, env);
      else keepAllBut(draft, old, 'status');
    } else {
      if (r.subresources?.status && 'status' in old) draft.status = copyJSON(old.status);
      r.strategy.defaults?.(draft);
      r.strategy.prepareForUpdate?.(draft, old, env);
    }
    const errors = [
      ...validateMetaUpdate(metadata, old.metadata),
      ...((sub ? sub.rules.validateUpdate?.(draft, old, env) : r.strategy.validateUpdate?.(draft, old, env)) ?? []),
    ];
    if (errors.length > 0) throw invalid(r.group, r.kind, name, dedupe(errors));
    this.admitValidated(request);
    if (!sub) for (const w of r.strategy.warnings?.(draft) ?? []) env.warn(w);
    if (options.managed) metadata.managedFields = options.managed;
    else if (
      Array.isArray(metadata.managedFields) &&
      metadata.managedFields.length === 0 &&
      old.metadata.managedFields?.length
    )
      delete metadata.managedFields;
    else {
      const managed = this.managed(r, old, draft, options.manager, sub?.name ?? '', env);
      if (managed.length > 0) metadata.managedFields = managed;
      else delete metadata.managedFields;
    }
    metadata.resourceVersion = old.metadata.resourceVersion as string;
    // An update without a change is not written.
    if (equalJSON(draft, old)) return old;
    if (options.dryRun) return draft;
    if (metadata.deletionTimestamp && !metadata.finalizers?.length && !metadata.deletionGracePeriodSeconds) {
      if (this.mayGo(r, draft)) {
        this.store.withReserve(() => this.putDirectly(r, draft));
        return this.remove(r, draft);
      }
    }
    return this.read(r, this.put(r, draft, env));
  }

  private checkVersions(r: Resource, draft: ApiObject, old: ApiObject, sub: boolean): void {
    const { uid, resourceVersion } = draft.metadata;
    const { name, namespace } = old.metadata;
    if (uid && uid !== old.metadata.uid)
      throw conflict(
        r,
        name,
        `StorageError: invalid object, Code: 4, Key: /registry/${r.resource}/${keyOf(namespace, name)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
      );
    if (!resourceVersion || resourceVersion === '0') {
      if (r.strategy.conditionalUpdate && !sub)
        throw invalid(r.group, r.kind, name, [
          'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
        ]);
    } else if (resourceVersion !== old.metadata.resourceVersion) throw conflict(r, name, modified);
  }

  private managed(
    r: Resource,
    old: ApiObject | null,
    draft: ApiObject,
    manager: string,
    subresource: string,
    env: Env,
  ): ManagedFieldsEntry[] {
    return updateManagedFields(r.type, old, draft, {
      manager,
      apiVersion: groupVersion(r),
      subresource,
      time: env.now,
    });
  }

  /** Returns true if an object that nothing holds may be removed: a namespace only once it is empty. */
  private mayGo(r: Resource, object: ApiObject): boolean {
    return r.resource !== 'namespaces' || !(object.spec as { finalizers?: string[] }).finalizers?.length;
  }

  /** Deletes an object; returns it, and true in `gone` if it is removed. upstream: (*Store).Delete */
  delete(
    r: Resource,
    namespace: string,
    name: string,
    env: Env,
    options: DeleteOptions,
  ): { object: ApiObject; gone: boolean } {
    const old = this.get(r, namespace, name);
    const base = { resource: r, subresource: '', operation: 'DELETE', namespace, name, requestName: name } as const;
    this.admit({ ...base, object: null, old, env });
    const kindOf = { group: r.group, resource: r.kind };
    if (options.uid !== undefined && options.uid !== old.metadata.uid)
      throw conflict(
        kindOf,
        name,
        `the UID in the precondition (${options.uid}) does not match the UID in record (${old.metadata.uid}). The object might have been deleted and then recreated`,
      );
    if (options.resourceVersion !== undefined && options.resourceVersion !== old.metadata.resourceVersion)
      throw conflict(
        kindOf,
        name,
        `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${old.metadata.resourceVersion}). The object might have been modified`,
      );
    const { next, pending } = this.begin(r, old, env, options);
    const finalizers = this.finalizersOf(next, options.propagationPolicy);
    const held = finalizers.length > 0 || !this.mayGo(r, next);
    const grace = next.metadata.deletionGracePeriodSeconds ?? 0;
    if (!held && !pending && grace === 0) {
      if (options.dryRun) return { object: next, gone: true };
      // An object with a grace period is marked first even if it is deleted at once: watchers see both.
      const marked = next.metadata.deletionTimestamp && !equalJSON(next, old);
      const last = marked ? this.store.withReserve(() => this.putDirectly(r, next)) : old;
      return { object: this.remove(r, last), gone: true };
    }
    next.metadata.deletionTimestamp ??= env.now;
    r.strategy.terminating?.(next);
    next.metadata.deletionGracePeriodSeconds ??= 0;
    if (finalizers.length > 0) next.metadata.finalizers = finalizers;
    if (options.dryRun || equalJSON(next, old)) return { object: next, gone: false };
    // A full store must let go of what is in it.
    return {
      object: this.read(
        r,
        this.store.withReserve(() => this.putDirectly(r, next)),
      ),
      gone: false,
    };
  }

  /**
   * The object with the marks of its deletion; `pending`: it was marked before and this changes nothing.
   * upstream: rest.BeforeDelete
   */
  private begin(r: Resource, old: ApiObject, env: Env, options: DeleteOptions): { next: ApiObject; pending: boolean } {
    const next = { ...old, metadata: { ...old.metadata } };
    const { metadata } = next;
    const asked = options.gracePeriodSeconds;
    if (metadata.deletionTimestamp) {
      const before = metadata.deletionGracePeriodSeconds;
      if (before === null || before === undefined || before === 0) return { next, pending: false };
      // Only a shorter one may be asked for.
      if (asked === undefined || asked >= before) return { next, pending: true };
      const began = Date.parse(metadata.deletionTimestamp) - before * 1000;
      const grace = asked < 0 ? 1 : asked;
      metadata.deletionTimestamp = seconds(began + grace * 1000);
      metadata.deletionGracePeriodSeconds = grace;
      return { next, pending: false };
    }
    const grace = r.strategy.graceOf?.(old, asked) ?? null;
    if (grace === null) return { next, pending: false };
    metadata.deletionTimestamp = seconds(Date.parse(env.now) + grace * 1000);
    metadata.deletionGracePeriodSeconds = grace;
    if (metadata.generation) metadata.generation++;
    return { next, pending: false };
  }

  private finalizersOf({ metadata }: ApiObject, policy: string | undefined): string[] {
    const now = metadata.finalizers ?? [];
    if (policy === undefined) return [...now];
    const others = now.filter((f) => f !== 'orphan' && f !== 'foregroundDeletion');
    if (policy === 'Orphan') return [...others, 'orphan'];
    return policy === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
  }

  /** Takes it out for good. */
  remove(r: Resource, object: ApiObject): ApiObject {
    const gone = this.store.delete(storageName(r), keyOf(object.metadata.namespace, object.metadata.name));
    if (!gone) return object;
    this.onGone(r, gone);
    return this.read(r, gone);
  }
}

const seconds = (millis: number): string => new Date(millis).toISOString().replace(/\.\d+Z$/, 'Z');
const dedupe = (errors: readonly string[]): string[] => [...new Set(errors)];

/** Restores all but a field and the metadata: a subresource's write changes only these. */
export function keepAllBut(draft: ApiObject, old: ApiObject, field: string): void {
  for (const key of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (key === field || key === 'metadata') continue;
    if (key in old) draft[key] = copyJSON(old[key]);
    else delete draft[key];
  }
}

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
/** upstream: apiserver pkg/storage/names SimpleNameGenerator */
function generateName(base: string, env: Env): string {
  let suffix = '';
  for (let i = 0; i < 5; i++) suffix += alphabet[env.random.below(alphabet.length)];
  return base.slice(0, 63 - 5) + suffix;
}

/** A random UUID, version 4. */
export function newUid({ random }: Pick<Env, 'random'>): string {
  const hex = random.hex(32);
  const variant = '89ab'[Number.parseInt(hex[16] as string, 16) % 4] as string;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
