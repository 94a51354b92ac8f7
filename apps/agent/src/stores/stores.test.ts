import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Fault, LogStore, type StoredLine } from '../testing/log-store.js';
import { Elasticsearch } from './elasticsearch.js';
import type { StoreOptions } from './http.js';
import type { LogSource } from './log-source.js';
import { Loki } from './loki.js';
import { ObjectStorage } from './object.js';
import { writeStored } from './store-files.js';

const T = Date.UTC(2026, 10, 22, 10);
const range = { from: T, to: T + 3_600_000 };
/** Lines of two nodes, three of them in each nanosecond that has any. */
const LINES: readonly StoredLine[] = Array.from({ length: 90 }, (_, i) => ({
  at: BigInt(T) * 1_000_000n + BigInt(Math.floor(i / 3)) * 7_000_000n + 1n,
  node: `n${1 + (i % 2)}`,
  text: `I1122 10:00:00.${String(i).padStart(6, '0')}    1432 kubelet.go:2468] "SyncLoop ADD" source="api" pods=[]`,
}));
const logOf = (node: string) =>
  LINES.filter((one) => one.node === node)
    .map(({ text }) => `${text}\n`)
    .join('');

interface Kit {
  readonly store: LogStore;
  readonly waits: number[];
  readonly said: string[];
  readonly folder: string;
  fetch(make: (url: URL, options: StoreOptions) => LogSource, mostBytes?: number): ReturnType<typeof writeStored>;
  read(node: string, name?: string): string;
}
async function kit(faults: readonly (Fault | null)[] = [], lines = LINES, idleMillis = 60_000): Promise<Kit> {
  const store = new LogStore(lines);
  const url = new URL(await store.start());
  store.faults.push(...faults);
  const folder = join(mkdtempSync(join(tmpdir(), 'syncloop-stores-')), 'logs');
  onTestFinished(async () => {
    await store.stop();
    rmSync(join(folder, '..'), { recursive: true, force: true });
  });
  const waits: number[] = [];
  const said: string[] = [];
  const options: StoreOptions = {
    pause: async (millis) => void waits.push(millis),
    say: (sentence) => void said.push(sentence),
    idleMillis,
  };
  return {
    ...{ store, waits, said, folder },
    fetch: (make, mostBytes = 1 << 20) => writeStored(make(url, options), { range, folder, mostBytes }),
    read: (node, name = 'kubelet.log') => readFileSync(join(folder, node, name), 'utf8'),
  };
}
const loki = (page: number) => (url: URL, options: StoreOptions) =>
  new Loki({ ...options, url, query: '{unit="kubelet.service"}', page });
const elastic = (flavour: 'elasticsearch' | 'opensearch') => (url: URL, options: StoreOptions) =>
  new Elasticsearch({ ...options, url, flavour, index: 'logs-*', query: 'unit:kubelet', page: 7 });

describe('Loki', () => {
  it.each([4, 5, 7, 1000])('gives each line once and in order, in pages of %i', async (page) => {
    const { fetch, read, store } = await kit();
    expect(await fetch(loki(page))).toEqual({ nodes: ['n1', 'n2'], bytes: expect.any(Number), until: range.to });
    expect(read('n1')).toBe(logOf('n1'));
    expect(read('n2')).toBe(logOf('n2'));
    const asked = new URL(store.asked[0]?.path ?? '', 'http://x');
    expect(asked.pathname).toBe('/loki/api/v1/query_range');
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      query: '{unit="kubelet.service"}',
      start: `${T}000000`,
      end: `${range.to}000000`,
      limit: String(page),
      direction: 'forward',
    });
  });

  it('cannot get past more lines of one nanosecond than a page has, and says so', async () => {
    const { fetch } = await kit();
    await expect(fetch(loki(3))).rejects.toThrow(/3 lines have the same nanosecond .*larger pages with --page/);
  });

  it('explains what it refuses', async () => {
    const limit = { status: 400, body: 'max entries limit per query exceeded, limit > max_entries_limit (5000 > 100)' };
    await expect((await kit([limit])).fetch(loki(5000))).rejects.toThrow('give --page less');
    const syntax = { status: 400, body: 'parse error at line 1, col 1: syntax error' };
    await expect((await kit([syntax])).fetch(loki(9))).rejects.toThrow(/does not take the query .*parse error/);
    const page = { status: 200, body: '<html>Grafana</html>' };
    await expect((await kit([page])).fetch(loki(9))).rejects.toThrow('something else than JSON: <html>');
    const other = { status: 200, body: '{"status":"success","data":{}}' };
    await expect((await kit([other])).fetch(loki(9))).rejects.toThrow('does not answer as Loki does: answer.data.');
    const numbers = { status: 200, body: '{"status":"success","data":{"resultType":"matrix","result":[]}}' };
    await expect((await kit([numbers])).fetch(loki(9))).rejects.toThrow('gives numbers (matrix) and not lines');
  });
});

describe.each(['elasticsearch', 'opensearch'] as const)('%s', (flavour) => {
  it('gives each line once and in order, at one point in time, which it gives back', async () => {
    const { fetch, read, store } = await kit();
    expect((await fetch(elastic(flavour))).nodes).toEqual(['n1', 'n2']);
    expect(read('n1') + read('n2')).toBe(logOf('n1') + logOf('n2'));
    expect(store.points.size).toBe(0);
    const opening = flavour === 'elasticsearch' ? '/_pit' : '/_search/point_in_time';
    expect(store.asked[0]?.path).toBe(`/logs-*${opening}?keep_alive=2m`);
    expect(store.asked.at(-1)).toMatchObject({ method: 'DELETE', path: opening });
    expect(JSON.parse(store.asked[1]?.body ?? '').query.bool.filter).toEqual([
      { range: { '@timestamp': { gte: range.from, lt: range.to, format: 'epoch_millis' } } },
      { query_string: { query: 'unit:kubelet' } },
    ]);
  });

  it('explains what it refuses, and gives the point back all the same', async () => {
    const none = { status: 404, body: '{"error":{"reason":"no such index [logs]"}}' };
    await expect((await kit([none])).fetch(elastic(flavour))).rejects.toThrow('there is no index "logs-*" there');
    const wrong = await kit([null, { status: 400, body: 'Failed to parse query [unit:]' }]);
    await expect(wrong.fetch(elastic(flavour))).rejects.toThrow('does not take the query "unit:kubelet": Failed to');
    expect(wrong.store.points.size).toBe(0);
    const part = { status: 200, body: '{"timed_out":false,"_shards":{"failed":2},"hits":{"hits":[]}}' };
    await expect((await kit([null, part])).fetch(elastic(flavour))).rejects.toThrow('in part (2 shards failed)');
  });
});

describe('a file behind a URL', () => {
  const body = Buffer.from(logOf('n1'));
  const object = (url: URL, options: StoreOptions) =>
    new ObjectStorage({ ...options, urls: [new URL('/logs/worker-1.log?signature=s3cret', url)] });

  it('goes on where it was cut, as often as it takes', async () => {
    const { fetch, read, store, waits } = await kit(Array.from({ length: 9 }, () => ({ cutAfter: 400 })));
    store.objects.set('/logs/worker-1.log', { body, tag: '"a"' });
    expect((await fetch(object)).nodes).toEqual(['worker-1']);
    expect(read('worker-1')).toBe(body.toString());
    expect(store.asked[1]?.headers).toMatchObject({ range: 'bytes=400-', 'if-range': '"a"' });
    expect(new Set(waits)).toEqual(new Set([500]));
  });

  it('begins anew if it is another one by then', async () => {
    const { fetch, read, store } = await kit([{ cutAfter: 400 }]);
    const file = { body, tag: '"a"' };
    store.objects.set('/logs/worker-1.log', file);
    const fetching = fetch((url, options) =>
      object(url, {
        ...options,
        pause: async () => {
          file.body = Buffer.from(logOf('n2'));
          file.tag = '"b"';
        },
      }),
    );
    expect(await fetching).toMatchObject({ bytes: logOf('n2').length });
    expect(read('worker-1')).toBe(logOf('n2'));
  });

  it('stays compressed, under a name by which it is read', async () => {
    const { fetch, folder, store } = await kit();
    store.objects.set('/n1.log.gz', { body: gzipSync(body), tag: '"a"' });
    await fetch((url, options) => new ObjectStorage({ ...options, urls: [new URL('/n1.log.gz', url)] }));
    expect(readdirSync(join(folder, 'n1'))).toEqual(['kubelet.log.gz']);
  });

  it('that may not be read is named without its signature', async () => {
    const { fetch } = await kit([{ status: 403, body: 'Request has expired' }]);
    const error = await fetch(object).catch((err: Error) => err.message);
    expect(error).toMatch(/worker-1\.log answers 403 \(Request has expired\).*presigned address may have expired/);
    expect(error).not.toContain('s3cret');
  });
});

describe('a server that fails', () => {
  const busy = { status: 429, headers: { 'retry-after': '7' } };
  it.each<[string, Fault, RegExp]>([
    ['is busy', busy, /answers 429; attempt 2 in 7 s/],
    ['fails', { status: 500, body: 'oh no' }, /answers 500 \(oh no\); attempt 2 in 0\.5 s/],
    ['cuts', { cutAfter: 50 }, /aborted|cut|socket hang up/],
  ])('that %s is asked again', async (_, fault, words) => {
    for (const source of [loki(20), elastic('elasticsearch')]) {
      const { fetch, read, said } = await kit([null, fault]);
      await fetch(source);
      expect(read('n1')).toBe(logOf('n1'));
      expect(said).toHaveLength(1);
      expect(said[0]).toMatch(words);
    }
  });

  it('that falls silent is asked again', async () => {
    for (const source of [loki(20), elastic('elasticsearch')]) {
      const { fetch, read, said } = await kit([null, { silent: true }], LINES, 300);
      await fetch(source);
      expect(read('n1')).toBe(logOf('n1'));
      // On a busy machine another answer may be late, too.
      expect(said.filter((one) => /no byte came within 0\.3 s/.test(one))).not.toEqual([]);
    }
  });

  it('that goes on failing is given up after six attempts with growing waits', async () => {
    const { fetch, waits, store, folder } = await kit(Array.from({ length: 20 }, () => ({ status: 503 })));
    await expect(fetch(loki(20))).rejects.toThrow('did not answer in 6 attempts: ');
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000]);
    expect(store.asked).toHaveLength(6);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('after some pages leaves what came, and it is said up to when', async () => {
    const { fetch, read } = await kit([null, null, { status: 403 }]);
    const error = await fetch(loki(20)).catch((err: Error) => err.message);
    expect(error).toMatch(
      /answers 403: give credentials .*\nWhat came before is in .* bytes, up to 2026-11-22T10:00:00\.\d+Z: go on with --since\)/,
    );
    expect(logOf('n1').startsWith(read('n1'))).toBe(true);
  });

  it('that leads elsewhere is not followed', async () => {
    const { fetch } = await kit([{ status: 302, headers: { location: 'http://evil.example/' } }]);
    await expect(fetch(loki(20))).rejects.toThrow('it leads to http://evil.example/, and credentials are sent only');
  });

  it('that is not there is said', async () => {
    const { fetch, store } = await kit();
    await store.stop();
    await expect(fetch(loki(20))).rejects.toThrow(/did not answer in 6 attempts: .*ECONNREFUSED/);
  });
});

describe('files', () => {
  it('are not written over', async () => {
    const { fetch, folder } = await kit();
    await fetch(loki(1000));
    await expect(fetch(loki(1000))).rejects.toThrow(`${folder} is not empty, and nothing is overwritten`);
  });

  it('have names that lead nowhere else', async () => {
    const names = ['../../etc', '/etc/passwd', '..', 'a b', 'a/b', ''];
    const lines = names.map((node, i) => ({ ...(LINES[i] as StoredLine), node }));
    const { fetch, folder } = await kit([], lines);
    const { nodes } = await fetch(loki(1000));
    expect(nodes).toHaveLength(names.length);
    expect(readdirSync(folder).sort()).toEqual([...nodes]);
    for (const name of nodes) expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]*$/);
    expect(existsSync(join(folder, '..', 'etc'))).toBe(false);
  });

  it('without a line, or without a kubelet’s, are an error with the remedy', async () => {
    await expect((await kit([], [])).fetch(loki(1000))).rejects.toThrow('the query gives no line: look at');
    const nginx = LINES.map((line) => ({ ...line, text: '10.0.0.1 - - "GET / HTTP/1.1" 200' }));
    await expect((await kit([], nginx)).fetch(loki(1000))).rejects.toThrow(
      /none of the first ones is a kubelet's, such as: 10\.0\.0\.1 - - "GET .*select the kubelet's unit/,
    );
  });

  it('end at the limit', async () => {
    await expect((await kit()).fetch(loki(10), 2000)).rejects.toThrow('more than 2000 bytes came (--size-limit)');
  });
});
