/**
 * API objects besides pods that the kubelet reads or writes, as JSON: the declared types, with the fields that an API
 * server or the kubelet itself always gives.
 */
import type { tokenRequest, tokenRequestSpec } from './objects/authentication.js';
import type { certificateSigningRequest } from './objects/certificates.js';
import type { lease } from './objects/coordination.js';
import type { service } from './objects/core.js';
import type { event } from './objects/event.js';
import type { ValueOf } from './objects/field.js';
import type { ObjectMeta } from './objects/meta.js';
import type { node } from './objects/node.js';
import type { runtimeClass } from './objects/runtime-class.js';
import type { csiNode } from './objects/storage.js';

export type { NodeCondition, NodeStatus, Taint } from './objects/node.js';
export type { ObjectReference } from './objects/references.js';

/** The metadata of any object; only namespaced ones have a namespace, and a new one has no UID yet. */
export interface APIMeta extends Partial<Omit<ObjectMeta, 'name'>> {
  name: string;
}
/** A declared object with the metadata of any object; `Given`: fields that are always there. */
type ObjectOf<T, Given extends keyof ValueOf<T> = never> = { metadata: APIMeta } & Required<Pick<ValueOf<T>, Given>> &
  Omit<ValueOf<T>, 'metadata' | Given>;

/** `request` and `certificate` are PEM in base64. */
export interface CertificateSigningRequestObject extends ObjectOf<typeof certificateSigningRequest, 'spec'> {}
/** Before the server has named it: it may have a `generateName` instead of a name. */
export type NewCertificateSigningRequest = Omit<CertificateSigningRequestObject, 'metadata' | 'status'> & {
  metadata: Partial<APIMeta>;
};

export interface NodeObject extends ObjectOf<typeof node> {}
export interface LeaseObject extends ObjectOf<typeof lease> {}
export interface EventObject
  extends ObjectOf<
    typeof event,
    | 'reason'
    | 'message'
    | 'source'
    | 'firstTimestamp'
    | 'lastTimestamp'
    | 'count'
    | 'type'
    | 'eventTime'
    | 'reportingComponent'
    | 'reportingInstance'
  > {}
/** The kubelet makes only variables of services. */
export interface ServiceObject extends ObjectOf<typeof service> {}
export interface RuntimeClassObject extends ObjectOf<typeof runtimeClass> {}
export interface CSINodeObject extends ObjectOf<typeof csiNode> {}
export interface TokenRequestObject extends Omit<ObjectOf<typeof tokenRequest>, 'metadata' | 'spec'> {
  metadata?: Partial<APIMeta>;
  spec: Omit<ValueOf<typeof tokenRequestSpec>, 'audiences' | 'expirationSeconds'> & {
    audiences: readonly string[];
    expirationSeconds: number;
  };
}
