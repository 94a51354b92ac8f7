/** The page that lists nodes: on loopback, with a token, as the debugger's own. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { SetupError } from '../base/errors.js';
import { closeServer, ignoreServerErrors } from '../base/ignore-errors.js';
import { linkTo } from '../links/link-code.js';
import { listen, listenAlso } from '../net/listen.js';
import { newToken } from '../net/token.js';
import { Gate } from '../server/auth.js';
import { securityHeaders } from '../server/static-files.js';
import type { AttachedNode, Forward } from './cluster.js';
import { nodesPage } from './page.js';

/** The cluster, as far as the page needs it. */
export interface NodesSource {
  nodes(): Promise<readonly AttachedNode[]>;
  token(pod: string): Promise<string>;
  forward(pod: string): Promise<Forward>;
}

export interface NodesServerOptions {
  readonly host: string;
  /** See SessionHostOptions. */
  readonly address?: string;
  readonly port: number;
  readonly remedy: string;
  readonly cluster: NodesSource;
  /** The cluster's name, for the page's heading. */
  readonly title: string;
}

/** Most ways to nodes that are open at one time; the one that was opened first makes room. */
const MOST_FORWARDS = 16;

export interface NodesServer {
  /** Makes a link that is usable once and for a short time. */
  link(): string;
  readonly port: number;
  readonly token: string;
  close(): Promise<void>;
}

/** Serves the list. Rejects with a SetupError when it cannot listen. */
export async function serveNodes(options: NodesServerOptions): Promise<NodesServer> {
  const { host, address = host, port, remedy, cluster, title } = options;
  const token = newToken();
  const gate = new Gate(token, port, undefined, undefined, false, undefined, undefined, [host, address]);
  const files = nodesPage(title);
  const ways = new Map<string, Promise<Forward>>();

  const way = (pod: string): Promise<Forward> => {
    const known = ways.get(pod);
    if (known) return known;
    for (const [oldest, open] of ways) {
      if (ways.size < MOST_FORWARDS) break;
      ways.delete(oldest);
      void open.then((one) => one.close()).catch(() => {});
    }
    const opening = cluster.forward(pod);
    ways.set(pod, opening);
    const forget = () => {
      if (ways.get(pod) === opening) ways.delete(pod);
    };
    opening.then((one) => one.ended).then(forget, forget);
    return opening;
  };

  const answers: { readonly [path: string]: (query: URLSearchParams) => Promise<unknown> } = {
    'GET /nodes': async () => {
      const open = new Set(ways.keys());
      return (await cluster.nodes()).map((one) => ({ ...one, open: open.has(one.pod) }));
    },
    'POST /open': async (query) => {
      const pod = query.get('pod') ?? '';
      // Only pods on the list are reached: the page may name nothing else.
      if (!(await cluster.nodes()).some((one) => one.pod === pod))
        throw new SetupError(`the pod ${pod} is gone; the list shows those that there are`);
      const [{ port: local }, secret] = await Promise.all([way(pod), cluster.token(pod)]);
      return { url: linkTo('127.0.0.1', local, secret) };
    },
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', headers } = request;
    const url = new URL(request.url ?? '/', 'http://loopback');
    const reply = (status: number, body: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, {
        ...securityHeaders(headers.host ?? ''),
        'Content-Type': type,
        'Cache-Control': 'no-store',
      });
      response.end(body);
    };
    const site = headers['sec-fetch-site'];
    const file = method === 'GET' ? files[url.pathname] : undefined;
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && url.pathname !== '/')
      return reply(403, 'requests that pages of other sites make are refused\n');
    const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
    const [, code = '', page = ''] = /^Link (\S+) (\S+)$/.exec(headers.authorization ?? '') ?? [];
    const asksForToken = method === 'POST' && url.pathname === '/token';
    const verdict = gate.check({
      ...{ host: headers.host, origin: headers.origin, token: file ? null : given },
      ...(asksForToken && { link: { code, page } }),
    });
    if (!verdict.ok) return reply(verdict.status, `${verdict.reason}\n`);
    if (asksForToken) return reply(200, JSON.stringify({ token: verdict.token ?? given }), 'application/json');
    if (file) return reply(200, file.body, file.type);
    const give = answers[`${method} ${url.pathname}`];
    if (!give) return reply(404, 'there is nothing here\n');
    try {
      return reply(200, JSON.stringify(await give(url.searchParams)), 'application/json');
    } catch (err) {
      return reply(err instanceof SetupError ? 502 : 500, `${(err as Error).message}\n`);
    }
  };

  const server = ignoreServerErrors(createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }));
  server.on('request', (request, response) => void answer(request, response));
  gate.port = await listen(server, host, port, remedy);
  const other = address === host ? null : await listenAlso(server, address, gate.port, remedy);
  return {
    link: () => linkTo(address, gate.port, token),
    port: gate.port,
    token,
    async close() {
      for (const open of ways.values()) void open.then((one) => one.close()).catch(() => {});
      other?.close();
      await closeServer(server);
    },
  };
}
