/**
 * Forwards the requests that an API server leaves to a node's kubelet: logs, exec, attach and port-forward of a pod,
 * and the node's proxy.
 *
 * upstream: pkg/registry/core/pod/rest, pkg/registry/core/node/rest, apimachinery pkg/util/proxy/upgradeaware.go
 */
import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { ApiForward } from '@syncloop/core/apiserver';
import { goErrorText, urlError } from '../api-client/go-errors.js';
import { ignoreErrors, ignoreRequestErrors } from '../base/ignore-errors.js';
import { statusBody } from './status-body.js';

/** A kubelet's server, and our credentials for it. */
export interface KubeletAccess {
  readonly host: string;
  readonly port: number;
  /** The authority that must have signed its certificate. */
  readonly caPem: string;
  /** The name that its certificate must have. Default: any, for a certificate of its own, which is pinned. */
  readonly servername?: string;
  /** Our own token; never that of the client. */
  readonly token: string;
}

const headMillis = 30_000;
/** upstream: apiserver pkg/registry/generic/rest/response_checker.go maxReadLength */
const maxReadLength = 50_000;

/** Headers that belong to one connection, or to the credentials that ended with us. */
const ownHeaders = new Set([
  'connection',
  'upgrade',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'host',
  'authorization',
  'cookie',
  'origin',
]);

/** Passes requests on to the kubelet of the one node that there is. */
export class Forwarder {
  private readonly agent: Agent;
  private readonly streams = new Set<Duplex>();

  constructor(private readonly kubelet: KubeletAccess) {
    this.agent = new Agent({ keepAlive: true, maxFreeSockets: 4 });
  }

  close(): void {
    this.agent.destroy();
    for (const stream of this.streams) stream.destroy();
  }

  /** Forwards a plain request. `body`: its body, already read. */
  request(forward: ApiForward, incoming: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const path = kubeletPath(forward);
    if (forward.subresource === 'log') this.log(forward, path, response);
    else if (forward.subresource === 'proxy') this.proxy(path, incoming, body, response);
    else send(response, 400, 'BadRequest', 'Upgrade request required');
  }

  private proxy(path: string, incoming: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const outgoing = httpsRequest({
      ...this.options(incoming.method ?? 'GET', path),
      headers: { ...passedHeaders(incoming), ...this.credentials(), 'Content-Length': body.length },
    });
    outgoing.on('response', (answer) => {
      try {
        response.writeHead(codeOf(answer), passedHeaders(answer));
      } catch {
        // A header that HTTP does not have.
        outgoing.destroy();
        response.destroy();
        return;
      }
      this.pipe(answer, response);
    });
    this.onFailure(outgoing, path, response);
    outgoing.end(body);
  }

  /** Text that may go on for long. upstream: pkg/registry/core/pod/rest/log.go, genericHttpResponseChecker */
  private log(forward: ApiForward, path: string, response: ServerResponse): void {
    const outgoing = httpsRequest({ ...this.options('GET', path), headers: this.credentials() });
    outgoing.on('response', (answer) => {
      const code = codeOf(answer);
      if (code === 200) {
        response.writeHead(200, { 'Content-Type': 'text/plain' });
        response.flushHeaders();
        return this.pipe(answer, response);
      }
      let said = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(0, maxReadLength);
      });
      answer.on('error', () => response.destroy());
      answer.on('end', () => {
        if (code === 500) return send(response, 500, 'InternalError', `Internal error occurred: ${said}`);
        if (code === 400) return send(response, 400, 'BadRequest', said);
        const what = `${code === 404 ? 'the server could not find the requested resource' : said} ( pods/log ${forward.name})`;
        send(response, code, code === 404 ? 'NotFound' : '', what);
      });
    });
    this.onFailure(outgoing, path, response);
    outgoing.end();
  }

  /**
   * An upgraded connection: the request goes on with our credentials, and from then on bytes pass both ways. An answer
   * that is not an upgrade goes back as it is.
   */
  upgrade(forward: ApiForward, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = kubeletPath(forward);
    this.track(ignoreErrors(socket));
    const untranslated = untranslatedProtocol(forward, incoming);
    if (untranslated !== null) {
      const text = `unable to upgrade: this server passes streams to the kubelet as they are, and that one does not speak ${untranslated} over websockets: use SPDY`;
      refuse(socket, 400, 'BadRequest', text);
      return;
    }
    const { connection, upgrade } = incoming.headers;
    const outgoing = httpsRequest({
      ...this.options(incoming.method ?? 'GET', path),
      agent: false,
      headers: { ...passedHeaders(incoming), ...this.credentials(), Connection: connection, Upgrade: upgrade },
    });
    ignoreRequestErrors(outgoing);
    const timer = setTimeout(() => outgoing.destroy(new Error('the kubelet did not answer in time')), headMillis);
    outgoing.on('upgrade', (answer, inner: Duplex, innerHead: Buffer) => {
      clearTimeout(timer);
      this.track(ignoreErrors(inner));
      const lines = [`HTTP/1.1 101 ${answer.statusMessage ?? 'Switching Protocols'}`];
      for (let i = 0; i < answer.rawHeaders.length; i += 2)
        lines.push(`${answer.rawHeaders[i]}: ${answer.rawHeaders[i + 1]}`);
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      if (innerHead.length > 0) socket.write(innerHead);
      if (head.length > 0) inner.write(head);
      join(socket, inner);
    });
    outgoing.on('response', (answer) => {
      clearTimeout(timer);
      let said = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(0, maxReadLength);
      });
      answer.on('error', () => socket.destroy());
      answer.on('end', () => {
        const code = codeOf(answer);
        const type = answer.headers['content-type'] ?? 'text/plain; charset=utf-8';
        // Plain text with a colon in it would be YAML to kubectl, and an error without a message.
        if (code >= 500 && !type.includes('json')) refuse(socket, code, 'InternalError', said.trim());
        else socket.end(rawAnswer(code, type, said));
      });
    });
    outgoing.on('error', (err) => {
      clearTimeout(timer);
      if (!socket.destroyed) refuse(socket, 500, 'InternalError', this.failure(path, err));
    });
    socket.on('close', () => outgoing.destroy());
    if (socket.destroyed) outgoing.destroy();
    outgoing.end();
  }

  private options(method: string, path: string): RequestOptions {
    const { host, port, caPem, servername } = this.kubelet;
    const identity = (_host: string, certificate: PeerCertificate) =>
      servername === undefined ? undefined : checkServerIdentity(servername, certificate);
    return { host, port, method, path, agent: this.agent, ca: caPem, checkServerIdentity: identity };
  }

  private credentials(): OutgoingHttpHeaders {
    return { Authorization: `Bearer ${this.kubelet.token}` };
  }

  private failure(path: string, err: Error): string {
    const { host, port } = this.kubelet;
    const url = `https://${host}:${port}${path.split('?', 1)[0]}`;
    return `error dialing backend: ${urlError('GET', url, goErrorText(err, { host, port }))}`;
  }

  private onFailure(outgoing: ReturnType<typeof httpsRequest>, path: string, response: ServerResponse): void {
    ignoreRequestErrors(outgoing);
    ignoreErrors(response);
    outgoing.on('error', (err) => {
      if (response.headersSent) response.destroy();
      else send(response, 500, 'InternalError', `Internal error occurred: ${this.failure(path, err)}`);
    });
    response.on('close', () => outgoing.destroy());
    if (response.destroyed) outgoing.destroy();
  }

  private pipe(answer: IncomingMessage, response: ServerResponse): void {
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  }

  private track(stream: Duplex): void {
    this.streams.add(stream);
    stream.on('close', () => this.streams.delete(stream));
  }
}

/** The status code of an answer; 502 for an invalid one, at which Node would throw. */
const codeOf = ({ statusCode = 0 }: IncomingMessage): number =>
  statusCode >= 200 && statusCode <= 599 ? statusCode : 502;

/** Bytes both ways until one side ends; half-closed connections keep their other half. */
function join(a: Duplex, b: Duplex): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => {
      if (!to.writableEnded) to.end();
    });
    from.pipe(to);
  }
}

type Query = ApiForward['query'];

/**
 * The path at the kubelet, with the kubelet's names for the options. upstream: pkg/registry/core/pod/strategy.go
 * StreamLocation
 */
export function kubeletPath({ subresource, namespace, name, container, path, query }: ApiForward): string {
  const at = (kind: string, ...parts: string[]) => `/${kind}/${parts.map(encodeURIComponent).join('/')}`;
  const out = new URLSearchParams();
  const copy = (from: string, to = from) => {
    for (const value of values(query, from)) out.append(to, value);
  };
  const flag = (from: string, to: string) => {
    const given = values(query, from)[0];
    if (given !== undefined && /^(1|t|true)$/i.test(given)) out.append(to, '1');
  };
  const full = (base: string) => (out.size > 0 ? `${base}?${out}` : base);
  switch (subresource) {
    case 'log':
      for (const option of [
        'follow',
        'previous',
        'sinceSeconds',
        'sinceTime',
        'timestamps',
        'tailLines',
        'limitBytes',
        'stream',
      ])
        copy(option);
      return full(at('containerLogs', namespace, name, container));
    case 'exec':
    case 'attach':
      flag('stdin', 'input');
      flag('stdout', 'output');
      flag('stderr', 'error');
      flag('tty', 'tty');
      if (subresource === 'exec') copy('command');
      return full(at(subresource, namespace, name, container));
    case 'portforward':
      if (values(query, 'ports').length > 0) out.append('port', values(query, 'ports').join(','));
      return full(at('portForward', namespace, name));
    default:
      for (const [key, value] of Object.entries(query)) for (const one of [value].flat()) out.append(key, one);
      return full(path === '' ? '/' : path);
  }
}

const values = (query: Query, key: string): readonly string[] =>
  Object.hasOwn(query, key) ? [query[key] ?? []].flat() : [];

/**
 * kubectl 1.31 and later ask first in a way that a kube-apiserver translates to SPDY for its kubelets; refused, they
 * ask again in SPDY. upstream: apiserver pkg/util/proxy/{streamtranslator,streamtunnel}.go
 */
function untranslatedProtocol({ subresource }: ApiForward, { headers }: IncomingMessage): string | null {
  if (subresource === 'proxy' || headers.upgrade?.toLowerCase() !== 'websocket') return null;
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((p) => p.trim());
  const translated = (p: string) => p.startsWith('v5.') || p.startsWith('SPDY/');
  return offered.some((p) => p !== '' && !translated(p)) ? null : (offered.find(translated) ?? null);
}

/**
 * Returns the headers to pass on: without those of one connection, and without those that a Connection header names.
 */
function passedHeaders({ headers }: IncomingMessage): OutgoingHttpHeaders {
  const named = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const drop = new Set([...ownHeaders, ...named]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !drop.has(name)));
}

function send(response: ServerResponse, code: number, reason: string, message: string): void {
  const body = statusBody(code, reason, message);
  response.writeHead(code, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

/** Refuses an upgrade and ends the connection. */
export function refuse(socket: Duplex, code: number, reason: string, message: string): void {
  ignoreErrors(socket);
  socket.end(rawAnswer(code, 'application/json', statusBody(code, reason, message)));
}

function rawAnswer(code: number, type: string, body: string): string {
  return `HTTP/1.1 ${code} ${reasonPhrase(code)}\r\nConnection: close\r\nContent-Type: ${type.replace(/[\r\n]/g, '')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const reasonPhrase = (code: number): string => STATUS_CODES[code] ?? 'Error';
