/** Requests without their secrets, for whatever leaves the process. */
import type { RpcMethod, RpcRequest } from './rpcs.js';
import type { AuthConfig } from './types.js';

/** Stands where a secret was. */
export const redacted = '[REDACTED]';

/** The fields which runtime.proto marks `debug_redact`. */
const secrets = ['password', 'auth', 'identityToken', 'registryToken'] as const satisfies (keyof AuthConfig)[];

/**
 * The request with registry credentials replaced by {@link redacted}. Only PullImage carries any;
 * environment variables and annotations, which may hold secrets of a pod, are left as they are.
 * Never changes the request itself.
 */
export function redactRequest<M extends RpcMethod>(method: M, request: RpcRequest<M>): RpcRequest<M> {
  const { auth } = request as { auth?: AuthConfig };
  if (method !== 'pullImage' || !auth) return request;
  const safe = { ...auth };
  for (const field of secrets) if (safe[field]) safe[field] = redacted;
  return { ...request, auth: safe };
}
