import type { Container, HTTPGetAction, IntOrString } from '../../api/types.js';

/**
 * A port by number, by name among the container's ports, or as a number in text.
 * upstream: probe.ResolveContainerPort
 */
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

/** The target of a request. */
export interface Target {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** The path with the query. */
  readonly path: string;
}

/** A GET of a probe or of a lifecycle hook. */
export interface HTTPGetRequest {
  readonly target: Target;
  /** Names are canonical: Header-Name. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

export const urlOf = (t: Target): string => `${t.scheme}://${joinHostPort(t.host, t.port)}${t.path}`;

/** Header-Name, as Go's net/http spells them. upstream: textproto.CanonicalMIMEHeaderKey */
const canonical = (name: string): string => name.toLowerCase().replace(/(^|-)[a-z]/g, (c) => c.toUpperCase());

/** upstream: pkg/probe/http/request.go userAgent */
const userAgent = (purpose: string): string => `kube-${purpose}/1.36`;

/**
 * The request that an httpGet action asks for; without a host it goes to the pod's IP. `purpose` names the sender in
 * the User-Agent. Throws if there is no such port. upstream: pkg/probe/http/request.go NewRequestForHTTPGetAction
 */
export function newRequestForHTTPGetAction(
  action: HTTPGetAction,
  container: Container,
  podIP: string,
  purpose: 'probe' | 'lifecycle',
): HTTPGetRequest {
  const path = action.path ?? '';
  const target: Target = {
    scheme: (action.scheme?.toLowerCase() || 'http') as Target['scheme'],
    host: action.host || podIP,
    port: resolveContainerPort(action.port, container),
    path: path === '' || path.startsWith('/') || path.startsWith('?') ? path : `/${path}`,
  };
  const headers = (action.httpHeaders ?? []).map((h) => ({ name: canonical(h.name), value: h.value }));
  const header = (name: string) => headers.find((h) => h.name === name);
  if (!header('User-Agent')) headers.push({ name: 'User-Agent', value: userAgent(purpose) });
  if (!header('Accept')) headers.push({ name: 'Accept', value: '*/*' });
  // An Accept header that was set to nothing is not sent.
  const sent = header('Accept')?.value === '' ? headers.filter((h) => h.name !== 'Accept') : headers;
  return { target, headers: sent };
}
