import type { Struct } from '../../api/objects/field.js';
import type { CertificateHost } from '../certificates/host.js';
import type { GroupResource } from '../status.js';
import type { ApiObject, AuthorizationAttributes, Decision, Identity, RandomSource, UserInfo } from '../types.js';
import type { NameRule } from './names.js';

/** What a strategy may know of the request and the server. */
export interface Env {
  readonly user: UserInfo;
  readonly userAgent: string;
  readonly dryRun: boolean;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly nowMillis: number;
  readonly random: RandomSource;
  readonly serviceAccountAdmission: boolean;
  /** Of an object that is created. */
  readonly identity?: Identity;
  /** Reads certificates and requests for them; without it they are only looked at from outside. */
  readonly certificates?: CertificateHost;
  authorize(attributes: AuthorizationAttributes): Decision;
  /** Objects of other resources; never changed by who gets them. */
  lookup(resource: string, namespace: string, name: string): ApiObject | undefined;
  listOf(resource: string, namespace?: string): readonly ApiObject[];
  warn(text: string): void;
}

/**
 * What is special about a resource. Drafts may be changed in place, old objects never. upstream:
 * rest.RESTCreateStrategy and its like
 */
export interface Strategy {
  /** What a decoder fills in; it belongs to who wrote the object. */
  defaults?(draft: ApiObject): void;
  /** Of a new object, before its validation: fields that clients may not set, and admission. They belong to nobody. */
  prepareForCreate?(draft: ApiObject, env: Env): void;
  prepareForUpdate?(draft: ApiObject, old: ApiObject, env: Env): void;
  /** Field errors: `spec.x: Required value`. */
  validate?(draft: ApiObject, env: Env): string[];
  validateUpdate?(draft: ApiObject, old: ApiObject, env: Env): string[];
  /** Texts of Warning headers. */
  warnings?(draft: ApiObject): string[];
  /** A PUT of what is not there makes it. */
  readonly createOnUpdate?: true;
  /** A PUT needs a resourceVersion. */
  readonly conditionalUpdate?: true;
  /** Seconds of grace of a deletion; null: goes at once, whatever was asked. upstream: CheckGracefulDelete */
  graceOf?(object: ApiObject, asked: number | undefined): number | null;
  /** What a deletion that must wait changes of the object; its parts are still the old one's. */
  terminating?(draft: ApiObject): void;
  /** A deletion that is complete answers with the object. */
  readonly returnsDeleted?: true;
}

/** A part of an object that is written by itself. */
export interface Subresource {
  /** Kind of what is sent; the object's own where it is left out. */
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  /** With update and patch: takes from the old object what may not be changed. */
  prepareForUpdate?(draft: ApiObject, old: ApiObject, env: Env): void;
  validateUpdate?(draft: ApiObject, old: ApiObject, env: Env): string[];
}

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly description: string;
  /** 0: always shown; 1: with -o wide. */
  readonly priority?: number;
}
export interface TablePrinter {
  readonly columns: readonly Column[];
  cells(object: ApiObject, nowMillis: number): readonly (string | number)[];
}

export interface Resource extends GroupResource {
  readonly version: string;
  /** Plural. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly type: Struct;
  readonly nameRule: NameRule;
  readonly strategy: Strategy;
  readonly subresources?: Readonly<Record<string, Subresource>>;
  /** Field labels beside metadata.name and metadata.namespace, with their values. */
  readonly fields?: Readonly<Record<string, (object: ApiObject) => string>>;
  readonly table?: TablePrinter;
  /** Another resource holds the objects; they are seen through these. */
  readonly view?: {
    readonly of: Resource;
    read(stored: ApiObject): ApiObject;
    write(sent: ApiObject): ApiObject;
  };
}

export const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

/** What the store calls a resource: `pods`, `leases.coordination.k8s.io`. */
export const storageName = (r: Resource): string => {
  const own = r.view?.of ?? r;
  return own.group ? `${own.resource}.${own.group}` : own.resource;
};
export const groupVersion = ({ group, version }: { group: string; version: string }): string =>
  group ? `${group}/${version}` : version;
