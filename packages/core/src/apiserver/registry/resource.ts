import type { Struct } from '../../api/objects/field.js';
import type { CertificateHost } from '../certificates/host.js';
import type { GroupResource } from '../status.js';
import type { ApiObject, AuthorizationAttributes, Decision, Identity, RandomSource, UserInfo } from '../types.js';
import type { NameRule } from './names.js';

/** The parts of the request and the server that a strategy sees. */
export interface Env {
  readonly user: UserInfo;
  readonly userAgent: string;
  readonly dryRun: boolean;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly nowMillis: number;
  readonly random: RandomSource;
  readonly serviceAccountAdmission: boolean;
  /** The identity of an object that is being created. */
  readonly identity?: Identity;
  /** Reads certificates and signing requests; without it they are only checked for their form. */
  readonly certificates?: CertificateHost;
  authorize(attributes: AuthorizationAttributes): Decision;
  /** Objects of other resources. The caller must not change them. */
  lookup(resource: string, namespace: string, name: string): ApiObject | undefined;
  listOf(resource: string, namespace?: string): readonly ApiObject[];
  warn(text: string): void;
}

/**
 * The rules of one resource. Drafts may be changed in place, old objects never.
 * upstream: rest.RESTCreateStrategy and its like
 */
export interface Strategy {
  /** Fills in what a decoder would. The writer of the object owns these fields. */
  defaults?(draft: ApiObject): void;
  /** Resets the fields that clients may not set and runs admission, before validation. No manager owns these fields. */
  prepareForCreate?(draft: ApiObject, env: Env): void;
  prepareForUpdate?(draft: ApiObject, old: ApiObject, env: Env): void;
  /** Field errors: `spec.x: Required value`. */
  validate?(draft: ApiObject, env: Env): string[];
  validateUpdate?(draft: ApiObject, old: ApiObject, env: Env): string[];
  /** Texts of Warning headers. */
  warnings?(draft: ApiObject): string[];
  /** A PUT of an object that does not exist creates it. */
  readonly createOnUpdate?: true;
  /** A PUT needs a resourceVersion. */
  readonly conditionalUpdate?: true;
  /**
   * Returns the grace period of a deletion, seconds; null: deleted at once, whatever the request asks.
   * upstream: CheckGracefulDelete
   */
  graceOf?(object: ApiObject, asked: number | undefined): number | null;
  /** Changes an object whose deletion must wait. The draft still shares its parts with the old object. */
  terminating?(draft: ApiObject): void;
  /** A completed deletion answers with the object. */
  readonly returnsDeleted?: true;
}

/** A part of an object that clients write separately. */
export interface Subresource {
  /** The kind of the body. Default: the kind of the object. */
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  /** Copies, at an update or patch, the fields that may not change from the old object. */
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
  /** Field labels in addition to metadata.name and metadata.namespace, with their values. */
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

/** The name of a resource in the store: `pods`, `leases.coordination.k8s.io`. */
export const storageName = (r: Resource): string => {
  const own = r.view?.of ?? r;
  return own.group ? `${own.resource}.${own.group}` : own.resource;
};
export const groupVersion = ({ group, version }: { group: string; version: string }): string =>
  group ? `${group}/${version}` : version;
