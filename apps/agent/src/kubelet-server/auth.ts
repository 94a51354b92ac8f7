/**
 * Authentication and authorization of requests. upstream: cmd/kubelet/app/auth.go, pkg/kubelet/server
 * (InstallAuthFilter)
 */
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { base64urlBytes, utf8TextStrict } from '@syncloop/core/base';
import { forbiddenText, getRequestAttributes, HTTPError } from '@syncloop/core/kubelet/server';
import { SetupError } from '../base/errors.js';
import { Seats } from '../net/seats.js';
import type { Reviews } from './api-reviews.js';
import { seat, serverLimits } from './limits.js';
import { isWebSocket, protocolsOf } from './stream-proxy.js';
import type { Tokens, User } from './tokens.js';

/** The log gets details that the answer does not have. */
export interface AuthLog {
  error(err: unknown, message: string, fields?: Readonly<Record<string, string>>): void;
  info(v: number, message: string, fields?: Readonly<Record<string, string | readonly string[]>>): void;
}

export interface AuthOptions {
  readonly nodeName: string;
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly anonymous: boolean;
  /** Certificates of clients are looked at. */
  readonly x509: boolean;
  /** Tokens that we know ourselves; the first that knows one counts. */
  readonly tokens: readonly Tokens[];
  /** Null: no token review. */
  readonly tokenReviews: Reviews | null;
  /** Null: AlwaysAllow. */
  readonly accessReviews: Reviews | null;
  readonly log: AuthLog;
}

const authenticated = 'system:authenticated';
const masters = 'system:masters';
const anonymousUser: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
/** upstream: apiserver pkg/authentication/request/websocket */
const protocolPrefix = 'base64url.bearer.authorization.k8s.io.';

export class Auth {
  private readonly asking = new Seats(serverLimits.reviews, serverLimits.share);

  constructor(private readonly o: AuthOptions) {}

  /**
   * Throws an HTTPError: 401 for nobody, 403 for a user without the right, 500 if that cannot be found out (fidelity
   * 3:HTTP-07).
   */
  async check(request: IncomingMessage, path: string): Promise<void> {
    const user = await this.authenticate(request);
    if (!user) throw new HTTPError(401, 'Unauthorized');
    const { nodeName, featureGates, accessReviews, log } = this.o;
    if (!accessReviews || user.groups.includes(masters)) return;
    const attributes = getRequestAttributes(nodeName, request.method ?? '', decoded(path), { featureGates });
    for (const one of attributes) {
      try {
        if (await accessReviews.subjectAccessReview(user, one)) return;
      } catch (err) {
        const fields = { user: user.name, verb: one.verb, resource: 'nodes', subresource: one.subresource };
        log.error(err, 'Authorization error', fields);
        const text = Object.entries(fields).map(([k, v]) => `${k}=${v}`);
        throw new HTTPError(500, `Authorization error (${text.join(', ')})`);
      }
    }
    const subresources = attributes.map((a) => a.subresource);
    log.info(2, 'Forbidden', {
      user: user.name,
      verb: attributes[0]?.verb ?? '',
      resource: 'nodes',
      'subresource(s)': subresources,
    });
    throw new HTTPError(403, forbiddenText(user.name, attributes));
  }

  /** Returns the user; null if nobody vouches for the request. upstream: DelegatingAuthenticatorConfig.New */
  private async authenticate(request: IncomingMessage): Promise<User | null> {
    const { x509, tokens, tokenReviews, anonymous, log } = this.o;
    const shown = x509 ? certificateUser(request.socket as TLSSocket) : null;
    if (shown && 'name' in shown) return withAuthenticated(shown);
    if (shown) log.error(new Error(shown.why), 'Unable to authenticate the request due to an error');
    const token = bearerToken(request);
    // A client with an invalid certificate is nobody, and not anonymous. upstream: union.NewFailOnError
    if (token === null) return anonymous && !shown ? anonymousUser : null;
    if (typeof token !== 'string') {
      log.error(new Error(token.why), 'Unable to authenticate the request due to an error');
      return null;
    }
    for (const known of tokens) {
      const user = known.find(token);
      if (user) return withAuthenticated(user);
    }
    if (!tokenReviews) return null;
    // A client that tries one token after another blocks neither the API server nor other clients.
    const known = tokenReviews.knownToken(token);
    if (known !== undefined) return known && withAuthenticated(known);
    const leave = seat(this.asking, request.socket.remoteAddress, 'tokens that are not known yet');
    try {
      const user = await tokenReviews.tokenReview(token);
      return user && withAuthenticated(user);
    } catch (err) {
      log.error(err, 'Unable to authenticate the request due to an error');
      return null;
    } finally {
      leave();
    }
  }
}

const withAuthenticated = (user: User): User =>
  user.groups.includes(authenticated) ? user : { ...user, groups: [...user.groups, authenticated] };

/** Returns the path in the form in which it is matched; an invalid encoding stays as it is. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * Name and groups are subject's CN and O; null if no certificate is shown, or one of no name.
 * upstream: apiserver pkg/authentication/request/x509 (*Authenticator).AuthenticateRequest, CommonNameUserConversion
 */
function certificateUser(socket: TLSSocket): User | { readonly why: string } | null {
  const { subject, fingerprint256 = '', valid_to: until = '' } = socket.getPeerCertificate() ?? {};
  if (!subject) return null;
  if (!socket.authorized) return { why: `verifying the client's certificate failed: ${socket.authorizationError}` };
  // A connection may outlive the certificate with which it began.
  if (Date.parse(until) < Date.now()) return { why: "verifying the client's certificate failed: it has expired" };
  const { CN, O: organizations } = subject as { CN?: string | string[]; O?: string | string[] };
  const name = Array.isArray(CN) ? CN[0] : CN;
  if (!name) return null;
  return {
    name,
    groups: organizations === undefined ? [] : [organizations].flat(),
    extra: {
      'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`],
    },
  };
}

/**
 * Reads the token of the Authorization header, or for pages of a websocket protocol; null if there is none. upstream:
 * apiserver pkg/authentication/request/{bearertoken,websocket}
 */
function bearerToken(request: IncomingMessage): string | { readonly why: string } | null {
  const [scheme = '', token = ''] = (request.headers.authorization ?? '').trim().split(' ');
  if (scheme.toLowerCase() === 'bearer' && token !== '') return token;
  if (!isWebSocket(request)) return null;
  const protocols = protocolsOf(request);
  const [encoded, ...more] = protocols.filter((p) => p.startsWith(protocolPrefix));
  if (encoded === undefined) return null;
  if (more.length > 0) return { why: 'multiple base64.bearer.authorization tokens specified' };
  const bytes = base64urlBytes(encoded.slice(protocolPrefix.length));
  if (!bytes) return { why: 'invalid base64.bearer.authorization token encoding' };
  // The one with the token goes no further, and the runtime must be offered one.
  if (protocols.length === 1) return { why: 'missing additional subprotocol' };
  try {
    return utf8TextStrict(bytes) || null;
  } catch {
    return { why: 'invalid base64.bearer.authorization token' };
  }
}

/** Returns the client's websocket protocols without the one that is a token; undefined if there is none. */
export function protocolsWithoutToken(request: IncomingMessage): string[] | undefined {
  const all = protocolsOf(request);
  const rest = all.filter((p) => !p.startsWith(protocolPrefix));
  return rest.length < all.length ? rest : undefined;
}

/**
 * The text that upstream gives if a webhook is asked for and there is no API server.
 * upstream: cmd/kubelet/app/auth.go
 */
export function needsClient(what: 'authentication' | 'authorization'): SetupError {
  const field = what === 'authentication' ? 'authentication.webhook.enabled: false' : 'authorization.mode: AlwaysAllow';
  return new SetupError(
    `no client provided, cannot use webhook ${what}: give --kubeconfig or --serve-api, or set ${field} in --config`,
  );
}
