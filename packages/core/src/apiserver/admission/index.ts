import type { Env, Resource } from '../registry/resource.js';
import type { ApiObject } from '../types.js';

/** A write that is about to happen. upstream: admission.Attributes */
export interface AdmissionRequest {
  readonly resource: Resource;
  readonly subresource: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly namespace: string;
  readonly name: string;
  /** The name in the request's path; '' if an object is created by POST. */
  readonly requestName: string;
  /** The object after the request; null for a deletion. */
  readonly object: ApiObject | null;
  /** The object before the request; null for a creation. */
  readonly old: ApiObject | null;
  readonly env: Env;
}

/** Each throws a StatusError for what it does not let through. upstream: admission.Interface */
export interface AdmissionPlugin {
  /** Called before the object is validated. */
  admit?(request: AdmissionRequest): void;
  /** Called after the object is validated. */
  validate?(request: AdmissionRequest): void;
}
