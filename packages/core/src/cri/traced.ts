/** Writes calls for records: enough for a viewer, without secrets and without what is long and comes often. */
import type { Json } from '../trace/index.js';
import { redactRequest } from './redact.js';
import type { RpcRequest } from './rpcs.js';

/** Ids by which a call belongs to a pod, sandbox or container. */
export interface Subject {
  uid?: string;
  sandbox?: string;
  container?: string;
}

interface AnyRequest {
  podSandboxId?: string;
  containerId?: string;
  filter?: object;
  config?: { metadata?: { uid?: string } };
  sandboxConfig?: { metadata?: { uid?: string } };
}

/** Returns the pod and container of a call, as far as the request names them itself. */
export function subjectOf(request: object): Subject {
  const r = request as AnyRequest;
  const uid = r.config?.metadata?.uid ?? r.sandboxConfig?.metadata?.uid;
  return {
    ...(uid && { uid }),
    ...(r.podSandboxId && { sandbox: r.podSandboxId }),
    ...(r.containerId && { container: r.containerId }),
  };
}

const LISTS = /^List|Stats$/;

/** `method` as on the wire: `ListContainers`. */
export function tracedRequest(method: string, request: object): Json {
  if (LISTS.test(method)) {
    const { filter } = request as AnyRequest;
    return (filter ? { filter } : {}) as Json;
  }
  if (method === 'PullImage') return redactRequest('pullImage', request as RpcRequest<'pullImage'>) as Json;
  return request as Json;
}

/** Lists and statistics come every second and are long: only how many there were. */
export function tracedResponse(method: string, response: object): Json {
  if (!LISTS.test(method)) return response as Json;
  const items = Object.values(response).find(Array.isArray) as unknown[] | undefined;
  return { count: items?.length ?? 0 };
}
