/**
 * A server of logs for tests: it answers as Loki, Elasticsearch, OpenSearch and an object store document it, from lines
 * that a test gives, and fails on request. It is a script, not those programs.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StoredLine {
  /** Nanoseconds since 1970. */
  readonly at: bigint;
  readonly node: string;
  readonly text: string;
}

/** What happens to a request: a status, a cut after so many bytes of the answer, or silence. */
export type Fault =
  | { readonly status: number; readonly body?: string; readonly headers?: { readonly [name: string]: string } }
  | { readonly cutAfter: number }
  | { readonly silent: true };

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export class LogStore {
  readonly asked: Asked[] = [];
  /** Faults of the next requests, in order; null lets one pass. */
  readonly faults: (Fault | null)[] = [];
  readonly points = new Set<string>();
  /** Files by path, and their versions. */
  readonly objects = new Map<string, { body: Buffer; tag: string }>();
  private server: Server | null = null;

  constructor(private readonly lines: readonly StoredLine[] = []) {}

  async start(): Promise<string> {
    const server = createServer((request, response) => void this.serve(request, response));
    this.server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => {});
    response.on('error', () => {});
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { method = '', url = '', headers } = request;
    this.asked.push({ method, path: url, headers, body });
    const fault = this.faults.shift() ?? null;
    if (fault && 'silent' in fault) return;
    if (fault && 'status' in fault) {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? '');
      return;
    }
    const { status, bytes, more } = this.answer(method, new URL(url, 'http://x'), body, headers);
    response.writeHead(status, { 'content-length': bytes.length, ...more });
    if (!fault) response.end(bytes);
    else response.write(bytes.subarray(0, fault.cutAfter), () => response.destroy());
  }

  private answer(
    method: string,
    url: URL,
    body: string,
    headers: IncomingMessage['headers'],
  ): { status: number; bytes: Buffer; more?: { readonly [name: string]: string } } {
    const json = (value: unknown, status = 200) => ({ status, bytes: Buffer.from(JSON.stringify(value)) });
    const object = this.objects.get(url.pathname);
    if (object) {
      const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
      const same = headers['if-range'] === undefined || headers['if-range'] === object.tag;
      const more = { etag: object.tag };
      if (from === 0 || !same) return { status: 200, bytes: object.body, more };
      const range = `bytes ${from}-${object.body.length - 1}/${object.body.length}`;
      return { status: 206, bytes: object.body.subarray(from), more: { ...more, 'content-range': range } };
    }
    if (url.pathname.endsWith('/loki/api/v1/query_range')) return json(this.loki(url.searchParams));
    if (/\/_pit$|\/_search\/point_in_time$/.test(url.pathname)) {
      if (method === 'DELETE') {
        const { id, pit_id: ids = [id] } = JSON.parse(body) as { id?: string; pit_id?: string[] };
        for (const one of ids) this.points.delete(one ?? '');
        return json({ succeeded: true });
      }
      this.points.add('p1');
      return json(url.pathname.endsWith('_pit') ? { id: 'p1' } : { pit_id: 'p1' });
    }
    if (url.pathname.endsWith('/_search')) return json(this.search(JSON.parse(body)));
    return json({ error: 'no such path' }, 404);
  }

  private loki(asked: URLSearchParams) {
    const [start, end] = [BigInt(asked.get('start') ?? 0), BigInt(asked.get('end') ?? 0)];
    const found = this.lines
      .filter(({ at }) => at >= start && at < end)
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
      .slice(0, Number(asked.get('limit')));
    const streams = new Map<string, [string, string][]>();
    for (const { at, node, text } of found) {
      const known = streams.get(node);
      if (known) known.push([String(at), text]);
      else streams.set(node, [[String(at), text]]);
    }
    const result = [...streams].map(([node, values]) => ({
      stream: { unit: 'kubelet.service', node_name: node },
      values,
    }));
    return { status: 'success', data: { resultType: 'streams', result, stats: {} } };
  }

  private search(asked: { size: number; pit: { id: string }; search_after?: [string, number]; query: unknown }) {
    if (!this.points.has(asked.pit.id)) throw new Error('no such point in time');
    const [time, place] = asked.search_after ?? ['', -1];
    const hits = this.lines
      .map((line, i) => ({ ...line, i, time: new Date(Number(line.at / 1_000_000n)).toISOString() }))
      .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.i - b.i))
      .filter((line) => line.time > time || (line.time === time && line.i > place))
      .slice(0, asked.size)
      .map(({ time: at, node, text, i }) => ({ _source: { message: text, host: { name: node } }, sort: [at, i] }));
    return { pit_id: 'p1', timed_out: false, _shards: { failed: 0 }, hits: { hits } };
  }
}
