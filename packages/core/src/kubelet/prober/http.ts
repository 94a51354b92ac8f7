import { type Context, ContextError, type Go, type Kernel, withTimeout } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { Container, HTTPGetAction, IntOrString } from '../api/types.js';
import type { ProbeTransport } from '../host.js';
import type { Logger } from '../klog.js';
import { cutBytes } from '../status/normalize.js';
import type { HandlerResult } from './prober.js';

/** upstream: pkg/probe/http maxRespBodyLength, bytes */
export const maxRespBodyLength = 10 * 1024;
/** upstream: pkg/probe/http RedirectChecker */
export const maxRedirects = 10;
/** upstream: pkg/probe/http userAgent */
export const userAgent = 'kube-probe/1.36';

/** A port by number, by name among the container's ports, or as a number in text. upstream: pkg/probe/util.go ResolveContainerPort */
export function resolveContainerPort(param: IntOrString, container: Container): number {
  let port: number;
  if (typeof param === 'number') port = param;
  else {
    const named = container.ports?.find((p) => p.name === param);
    port = named ? named.containerPort : Number(/^[+-]?\d+$/.test(param) ? param : Number.NaN);
    if (Number.isNaN(port)) throw new Error(`strconv.Atoi: parsing ${JSON.stringify(param)}: invalid syntax`);
  }
  if (port > 0 && port < 65536) return port;
  throw new Error(`invalid port number: ${port}`);
}

/** upstream: net.JoinHostPort */
export const joinHostPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

interface Target {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** With the query. */
  readonly path: string;
}

const urlOf = (t: Target): string => `${t.scheme}://${joinHostPort(t.host, t.port)}${t.path}`;

/** Header-Name, as Go's net/http spells them. upstream: textproto.CanonicalMIMEHeaderKey */
const canonical = (name: string): string => name.toLowerCase().replace(/(^|-)[a-z]/g, (c) => c.toUpperCase());

function requestHeaders(action: HTTPGetAction): { name: string; value: string }[] {
  const headers = (action.httpHeaders ?? []).map((h) => ({ name: canonical(h.name), value: h.value }));
  const has = (name: string): boolean => headers.some((h) => h.name === name);
  if (!has('User-Agent')) headers.push({ name: 'User-Agent', value: userAgent });
  if (!has('Accept')) headers.push({ name: 'Accept', value: '*/*' });
  // One that was set to nothing is not sent.
  return headers.find((h) => h.name === 'Accept')?.value === '' ? headers.filter((h) => h.name !== 'Accept') : headers;
}

function targetOf(action: HTTPGetAction, container: Container, podIP: string): Target {
  const path = action.path ?? '';
  return {
    scheme: (action.scheme?.toLowerCase() || 'http') as 'http' | 'https',
    host: action.host || podIP,
    port: resolveContainerPort(action.port, container),
    path: path === '' || path.startsWith('/') || path.startsWith('?') ? path : `/${path}`,
  };
}

/** Where a Location leads from `from`, null if it cannot be read. */
export function redirectTarget(from: Target, location: string): Target | null {
  const m = /^(?:(https?):)?\/\/(\[[^\]]*\]|[^/:?#]*)(?::(\d+))?([^#]*)/i.exec(location);
  if (m) {
    const scheme = (m[1]?.toLowerCase() ?? from.scheme) as 'http' | 'https';
    return {
      scheme,
      host: (m[2] ?? '').replace(/^\[|\]$/g, ''),
      port: Number(m[3] ?? (scheme === 'https' ? 443 : 80)),
      path: m[4] || '/',
    };
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return null;
  const plain = location.split('#')[0] ?? '';
  const base = (from.path.split('?')[0] ?? '').replace(/[^/]*$/, '');
  return {
    ...from,
    path: plain.startsWith('/')
      ? plain
      : plain.startsWith('?')
        ? `${from.path.split('?')[0]}${plain}`
        : `${base || '/'}${plain}`,
  };
}

const followed: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * GET; 200 to 399 is success. Redirects are followed on the same host name only; one to elsewhere is a warning (row W-17).
 * A transport's error is a failure; only a request that cannot be made is an error. upstream: pkg/probe/http DoHTTPProbe
 */
export function* httpProbe(
  deps: { kernel: Kernel; transport: ProbeTransport; log: Logger },
  ctx: Context,
  action: HTTPGetAction,
  container: Container,
  podIP: string,
  timeout: Micros,
  probeType: string,
): Go<HandlerResult> {
  let target: Target;
  try {
    target = targetOf(action, container, podIP);
  } catch (error) {
    deps.log.info(4, 'HTTP-Probe failed to create request', { error: (error as Error).message });
    throw error;
  }
  const { scheme, host, port, path } = target;
  const shown = (action.httpHeaders ?? []).map((h) => ({ name: h.name, value: h.value }));
  deps.log.info(4, 'HTTP-Probe', { scheme, host, port, path, timeout, headers: shown, probeType });
  const headers = requestHeaders(action);
  const [limited, cancel] = withTimeout(deps.kernel, ctx, timeout);
  try {
    for (let redirects = 0; ; redirects++) {
      let response: { status: number; body: string; location?: string };
      try {
        const left = (limited.deadline() ?? deps.kernel.now() + timeout) - deps.kernel.now();
        response = yield* deps.transport.httpGet(limited, { ...target, headers, timeout: Math.max(left, 1) });
      } catch (error) {
        return { outcome: 'failure', output: transportError(urlOf(target), error) };
      }
      const body = cutBytes(response.body, maxRespBodyLength);
      const next =
        followed.has(response.status) && response.location ? redirectTarget(target, response.location) : null;
      if (next && next.host === host) {
        if (redirects + 1 >= maxRedirects)
          return { outcome: 'failure', output: `Get "${urlOf(target)}": stopped after 10 redirects` };
        target = next;
        continue;
      }
      if (response.status >= 200 && response.status < 300) return { outcome: 'success', output: body };
      if (response.status >= 300 && response.status < 400)
        return { outcome: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
      return { outcome: 'failure', output: `HTTP probe failed with statuscode: ${response.status}` };
    }
  } finally {
    cancel();
  }
}

/** upstream: (*url.Error).Error, and http.Client's text for its time-out */
function transportError(url: string, error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (text.startsWith('Get "')) return text;
  if (error instanceof ContextError && error.reason === 'deadline')
    return `Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
  return `Get "${url}": ${text}`;
}
