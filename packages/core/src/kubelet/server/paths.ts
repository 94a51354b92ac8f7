/** The paths that the kubelet's server answers. upstream: pkg/kubelet/server/server.go */

/** A request by what it wants. Path parts are decoded. */
export type Endpoint =
  | { readonly kind: 'healthz'; readonly check: string | null }
  | { readonly kind: 'pods' | 'runningpods' | 'configz' | 'stats' | 'flagz' | 'statusz' }
  | { readonly kind: 'metrics'; readonly of: '' | 'cadvisor' | 'resource' | 'probes' | 'slis' }
  | (ContainerPath & { readonly kind: 'run' })
  | (ContainerPath & { readonly kind: 'exec' })
  | (ContainerPath & { readonly kind: 'attach' })
  | (ContainerPath & { readonly kind: 'containerLogs' })
  | (ContainerPath & { readonly kind: 'checkpoint' })
  | { readonly kind: 'portForward'; readonly namespace: string; readonly pod: string; readonly uid: string }
  | { readonly kind: 'logs'; readonly path: string }
  | { readonly kind: 'debug'; readonly of: 'pprof' | 'flags'; readonly path: string };

export interface ContainerPath {
  readonly namespace: string;
  readonly pod: string;
  /** '' if the path has none. */
  readonly uid: string;
  readonly container: string;
}

/** An endpoint and the methods that it takes. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly methods: readonly string[];
}

const any = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const getPost = ['GET', 'POST'];

/**
 * Returns the route of a path; null if there is none, or if a part of the path is not validly encoded. `path` is as it
 * was sent, without query.
 */
export function parsePath(path: string): Route | null {
  let parts: string[];
  try {
    parts = path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return null;
  }
  // go-restful takes a slash at the end for nothing.
  const tail = parts.length > 1 && parts.at(-1) === '' ? parts.slice(0, -1) : parts;
  const [first = '', ...rest] = tail;
  const route = (endpoint: Endpoint, methods: readonly string[]): Route => ({ endpoint, methods });
  const container = (kind: 'run' | 'exec' | 'attach', methods: readonly string[]) => {
    const [namespace = '', pod = '', a = '', b] = rest;
    if (rest.length < 3 || rest.length > 4 || rest.includes('')) return null;
    return route({ kind, namespace, pod, uid: b === undefined ? '' : a, container: b ?? a }, methods);
  };
  const plain = (kind: 'containerLogs' | 'checkpoint', method: string) => {
    const [namespace = '', pod = '', name = ''] = rest;
    if (rest.length !== 3 || rest.includes('')) return null;
    return route({ kind, namespace, pod, uid: '', container: name }, [method]);
  };
  switch (first) {
    case 'healthz':
      return rest.length > 1 ? null : route({ kind: 'healthz', check: rest[0] ?? null }, any);
    case 'pods':
    case 'runningpods':
      return rest.length > 0 ? null : route({ kind: first }, ['GET']);
    case 'configz':
    case 'flagz':
    case 'statusz':
      return rest.length > 0 ? null : route({ kind: first }, any);
    case 'stats':
      return rest.length === 1 && rest[0] === 'summary' ? route({ kind: 'stats' }, getPost) : null;
    case 'metrics': {
      const [of = ''] = rest;
      const known = of === '' || of === 'cadvisor' || of === 'resource' || of === 'probes' || of === 'slis';
      return rest.length < 2 && known ? route({ kind: 'metrics', of }, any) : null;
    }
    case 'run':
      return container('run', ['POST']);
    case 'exec':
    case 'attach':
      return container(first, getPost);
    case 'portForward': {
      const [namespace = '', pod = '', uid = ''] = rest;
      if (rest.length < 2 || rest.length > 3 || rest.includes('')) return null;
      return route({ kind: 'portForward', namespace, pod, uid }, getPost);
    }
    case 'containerLogs':
      return plain('containerLogs', 'GET');
    case 'checkpoint':
      return plain('checkpoint', 'POST');
    case 'logs':
      return route({ kind: 'logs', path: rest.join('/') }, ['GET']);
    case 'debug': {
      const [of, ...more] = rest;
      if (of === 'pprof') return route({ kind: 'debug', of, path: more.join('/') }, ['GET']);
      return of === 'flags' && more.join('/') === 'v' ? route({ kind: 'debug', of, path: 'v' }, any) : null;
    }
    default:
      return null;
  }
}

/**
 * Answers 405 where debugging handlers are off: always on the read-only port.
 * upstream: InstallDebuggingDisabledHandlers
 */
export const debuggingDisabled = /^\/(run|exec|attach|portForward|containerLogs|runningpods|debug\/pprof|logs)(\/|$)/;

/** upstream: metricsBuckets, as addMetricsBucketMatcher fills it */
const buckets = new Set(
  `healthz pods stats metrics metrics/cadvisor metrics/probes metrics/resource run exec attach portForward containerLogs
  configz runningpods checkpoint logs debug`.split(/\s+/),
);
const disabledBuckets = new Set(
  `healthz pods stats metrics metrics/cadvisor metrics/probes metrics/resource run exec attach portForward containerLogs
  runningpods pprof logs`.split(/\s+/),
);
const methods = new Set(['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT']);
/** A quirk: port forwards are never among them, as their bucket has a capital F. upstream: longRunningRequestPathMap */
const longRunning = new Set(['exec', 'attach', 'portforward', 'debug']);

/**
 * Labels of a request's metrics; requests for odd paths cannot add new ones (fidelity 3:MET-11).
 * upstream: (*Server).ServeHTTP
 */
export function httpLabels(
  method: string,
  path: string,
  server: { readonly readOnly: boolean; readonly debugging: boolean },
): { method: string; path: string; server_type: string; long_running: string } {
  const [first = '', second] = path.replace(/^\//, '').split('/');
  const root = first === 'metrics' && second !== undefined ? `metrics/${second}` : first;
  const bucket = (server.debugging ? buckets : disabledBuckets).has(root) ? root : 'other';
  return {
    method: methods.has(method) ? method : 'other',
    path: bucket,
    server_type: server.readOnly ? 'readonly' : 'readwrite',
    long_running: String(longRunning.has(bucket)),
  };
}
