import type { JsonObject } from './json.js';

/** upstream: metav1.StatusCause */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}
/** upstream: metav1.Status */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: JsonObject;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** An error answer of the server: thrown inside, sent as a `Status`. upstream: apimachinery pkg/api/errors */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly details?: StatusDetails,
  ) {
    super(message);
  }
  get status(): Status {
    const { code, reason, message, details } = this;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason && { reason }),
      ...(details && { details }),
      code,
    };
  }
}

/** Group and plural name, as messages have it: `pods`, `leases.coordination.k8s.io`. upstream: schema.GroupResource */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}
export const groupResource = ({ group, resource }: GroupResource): string =>
  group ? `${resource}.${group}` : resource;
const detailsOf = (gr: GroupResource, name: string, causes?: readonly StatusCause[]): StatusDetails => ({
  ...(name && { name }),
  ...(gr.group && { group: gr.group }),
  ...(gr.resource && { kind: gr.resource }),
  ...(causes && { causes }),
});

export const notFound = (gr: GroupResource, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${groupResource(gr)} ${JSON.stringify(name)} not found`, detailsOf(gr, name));
export const alreadyExists = (gr: GroupResource, name: string): StatusError =>
  new StatusError(
    409,
    'AlreadyExists',
    `${groupResource(gr)} ${JSON.stringify(name)} already exists`,
    detailsOf(gr, name),
  );
export const conflict = (gr: GroupResource, name: string, why: string, causes?: readonly StatusCause[]): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${groupResource(gr)} ${JSON.stringify(name)}: ${why}`,
    detailsOf(gr, name, causes),
  );
export const modified = 'the object has been modified; please apply your changes to the latest version and try again';
export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message);
export const forbidden = (gr: GroupResource, name: string, why: string, causes?: readonly StatusCause[]): StatusError =>
  new StatusError(
    403,
    'Forbidden',
    gr.resource === ''
      ? `forbidden: ${why}`
      : name
        ? `${groupResource(gr)} ${JSON.stringify(name)} is forbidden: ${why}`
        : `${groupResource(gr)} is forbidden: ${why}`,
    detailsOf(gr, name, causes),
  );
export const methodNotSupported = (gr: GroupResource, action: string): StatusError =>
  new StatusError(
    405,
    'MethodNotAllowed',
    `${action} is not supported on resources of kind ${JSON.stringify(groupResource(gr))}`,
    detailsOf(gr, ''),
  );
/** A path that is not served. */
export const pageNotFound = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
export const expired = (message: string): StatusError => new StatusError(410, 'Expired', message);
export const unsupportedMediaType = (message: string): StatusError =>
  new StatusError(415, 'UnsupportedMediaType', message);
/** upstream: NewRequestEntityTooLargeError */
export const requestTooLarge = (why: string): StatusError =>
  new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${why}`);
export const tooLarge = (bytes: number): StatusError => requestTooLarge(`limit is ${bytes}`);
/** The storage says no, in the words and with the code of a server on etcd. */
export const storageError = (message: string): StatusError => new StatusError(500, '', message);
export const internalError = (message: string): StatusError =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

const causeReasons: readonly (readonly [prefix: string, reason: string])[] = [
  ['Required value', 'FieldValueRequired'],
  ['Invalid value', 'FieldValueInvalid'],
  ['Unsupported value', 'FieldValueNotSupported'],
  ['Duplicate value', 'FieldValueDuplicate'],
  ['Not found', 'FieldValueNotFound'],
  ['Forbidden', 'FieldValueForbidden'],
  ['Too long', 'FieldValueTooLong'],
  ['Too many', 'FieldValueTooMany'],
  ['Internal error', 'InternalError'],
];

/** Field errors (`spec.containers[0].image: Required value`) of one object. upstream: NewInvalid */
export function invalid(group: string, kind: string, name: string, errors: readonly string[]): StatusError {
  const qualified = group ? `${kind}.${group}` : kind;
  const unique = [...new Set(errors)];
  const text = unique.length === 1 ? unique[0] : `[${unique.join(', ')}]`;
  return new StatusError(422, 'Invalid', `${qualified} ${JSON.stringify(name)} is invalid: ${text}`, {
    ...(name && { name }),
    ...(group && { group }),
    kind,
    causes: errors.map((error) => {
      const at = error.indexOf(': ');
      const message = error.slice(at + 2);
      const reason = causeReasons.find(([prefix]) => message.startsWith(prefix))?.[1] ?? 'FieldValueInvalid';
      return { reason, message, field: error.slice(0, at) };
    }),
  });
}

/** The answer to a write that returns no object. */
export const success = (details?: StatusDetails, code?: number): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  ...(details && { details }),
  ...(code !== undefined && { code }),
});
