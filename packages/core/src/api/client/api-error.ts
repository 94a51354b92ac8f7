/** The reason of an API server's error. upstream: metav1.StatusReason */
export type APIErrorReason =
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Forbidden'
  | 'Unauthorized'
  | 'Invalid'
  | 'BadRequest'
  | 'Expired'
  | 'Gone'
  | 'Timeout'
  | 'ServerTimeout'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'MethodNotAllowed'
  | 'Unavailable'
  | 'Unknown';

/** Causes by which a client tells errors of one reason apart. upstream: metav1.StatusDetails */
export interface APIErrorDetails {
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  readonly retryAfterSeconds?: number;
}

/** An answer with an error code. upstream: apimachinery pkg/api/errors StatusError */
export class APIError extends Error {
  constructor(
    readonly reason: APIErrorReason,
    message: string,
    /** HTTP status; 0 if there was no response. */
    readonly code: number = codes[reason] ?? 0,
    readonly details: APIErrorDetails = {},
  ) {
    super(message);
  }
}

const codes: { readonly [reason: string]: number } = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  Gone: 410,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
};

/** upstream: apierrors.IsNotFound */
export const isNotFound = (err: unknown): boolean => err instanceof APIError && err.reason === 'NotFound';
/** upstream: apierrors.HasStatusCause(err, NamespaceTerminatingCause) */
export const isNamespaceTerminating = (err: unknown): boolean =>
  err instanceof APIError &&
  err.reason === 'Forbidden' &&
  (err.details.causes ?? []).some((c) => c.reason === 'NamespaceTerminating');

/**
 * Returns the error for a `Status` of the server; a body that is not a Status gets upstream's words.
 * upstream: apierrors.FromObject, NewGenericServerResponse
 */
export function errorFromResponse(code: number, body: unknown, verb: string, what: string): APIError {
  const status = (typeof body === 'object' && body !== null ? body : {}) as {
    kind?: unknown;
    reason?: unknown;
    message?: unknown;
    code?: unknown;
    details?: APIErrorDetails | null;
  };
  if (status.kind === 'Status') {
    const reason = typeof status.reason === 'string' && status.reason !== '' ? status.reason : byCode(code);
    const message = typeof status.message === 'string' && status.message !== '' ? status.message : 'unknown';
    return new APIError(
      reason as APIErrorReason,
      message,
      typeof status.code === 'number' ? status.code : code,
      typeof status.details === 'object' && status.details !== null ? status.details : {},
    );
  }
  const words =
    generic[code] ?? `the server responded with the status code ${code} but did not return more information`;
  return new APIError(byCode(code), `${words} (${verb} ${what})`, code);
}

/**
 * Returns the last event of a watch whose connection breaks instead of ending.
 * upstream: apimachinery pkg/api/errors NewClientErrorReporter ("ClientWatchDecoding")
 */
export function undecodable(why: string): object {
  const text = `unable to decode an event from the watch stream: ${why}`;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`,
    reason: 'InternalError',
    details: {
      causes: [
        { reason: 'UnexpectedServerResponse', message: text },
        { reason: 'ClientWatchDecoding', message: text },
      ],
    },
    code: 500,
  };
}

const byCode = (code: number): APIErrorReason =>
  (Object.entries(codes).find(([reason, c]) => c === code && reason !== 'AlreadyExists' && reason !== 'Expired')?.[0] ??
    'Unknown') as APIErrorReason;

const generic: { readonly [code: number]: string } = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  403: 'the server does not allow access to the requested resource',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  410: 'the resource is no longer available',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  500: 'an error on the server has prevented the request from succeeding',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};
