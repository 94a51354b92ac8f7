import { messageOf } from '../../base/index.js';
import type { ProbeTransport } from '../../host/os.js';
import { type Context, ContextError, type Go, type Kernel } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { type HTTPGetRequest, type Target, urlOf } from './request.js';

/** upstream: pkg/probe/http RedirectChecker */
export const maxRedirects = 10;

const redirectStatus: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** An answer with any status. */
export interface HTTPResponse {
  readonly status: number;
  readonly body: string;
  readonly location?: string;
}

/** The target of a Location header in an answer from `from`; null if the header cannot be read. */
export function redirectTarget(from: Target, location: string): Target | null {
  const m = /^(?:(https?):)?\/\/(\[[^\]]*\]|[^/:?#]*)(?::(\d+))?([^#]*)/i.exec(location);
  if (m) {
    const scheme = (m[1]?.toLowerCase() ?? from.scheme) as Target['scheme'];
    return {
      scheme,
      host: (m[2] ?? '').replace(/^\[|\]$/g, ''),
      port: Number(m[3] ?? (scheme === 'https' ? 443 : 80)),
      path: withoutDots(m[4] || '/'),
    };
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return null;
  const plain = location.split('#')[0] ?? '';
  const base = (from.path.split('?')[0] ?? '').replace(/[^/]*$/, '');
  if (plain === '') return from;
  if (plain.startsWith('?')) return { ...from, path: `${from.path.split('?')[0]}${plain}` };
  return { ...from, path: withoutDots(plain.startsWith('/') ? plain : `${base || '/'}${plain}`) };
}

/** A path, with its query, whose segments `.` and `..` are resolved. upstream: net/url resolvePath */
function withoutDots(path: string): string {
  const [, segments = '', query = ''] = /^([^?]*)(.*)$/s.exec(path) ?? [];
  if (!/(^|\/)\.\.?(\/|$)/.test(segments)) return path;
  const out: string[] = [];
  const all = segments.replace(/^\//, '').split('/');
  for (const segment of all) {
    if (segment === '..') out.pop();
    else if (segment !== '.') out.push(segment);
  }
  const last = all.at(-1);
  return `/${out.join('/')}${(last === '.' || last === '..') && out.length > 0 ? '/' : ''}${query}`;
}

/**
 * Sends a request and follows redirects, ten at most, as long as they stay on the first host name; an answer that leads
 * elsewhere is the answer. Throws an Error with Go's text, `Get "<url>": <reason>`. `deadline` is when to give up, in
 * the kernel's microseconds.
 * upstream: http.Client Do, with CheckRedirect of pkg/probe/http RedirectChecker(false)
 */
export function* doRequest(
  deps: { readonly kernel: Kernel; readonly transport: ProbeTransport },
  ctx: Context,
  { target: first, headers }: HTTPGetRequest,
  deadline: Micros,
): Go<HTTPResponse> {
  let target = first;
  for (let redirects = 1; ; redirects++) {
    let response: HTTPResponse;
    try {
      const timeout = Math.max(deadline - deps.kernel.now(), 1);
      response = yield* deps.transport.httpGet(ctx, { ...target, headers, timeout });
    } catch (error) {
      throw new Error(transportError(urlOf(target), error), { cause: error });
    }
    const { status, location } = response;
    const next = redirectStatus.has(status) && location ? redirectTarget(target, location) : null;
    if (next?.host !== first.host) return response;
    if (redirects >= maxRedirects) throw new Error(`Get "${urlOf(target)}": stopped after ${maxRedirects} redirects`);
    target = next;
  }
}

/** upstream: (*url.Error).Error, and http.Client's text for its time-out */
function transportError(url: string, error: unknown): string {
  const text = messageOf(error);
  if (text.startsWith('Get "')) return text;
  if (error instanceof ContextError && error.reason === 'deadline')
    return `Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
  return `Get "${url}": ${text}`;
}
