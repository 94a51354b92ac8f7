import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { main } from '../main.js';
import { LogStore, type StoredLine } from '../testing/log-store.js';
import { runProgram } from '../testing/program.js';

const T = Date.UTC(2026, 10, 22, 10);
const LINES: readonly StoredLine[] = Array.from({ length: 40 }, (_, i) => ({
  at: BigInt(T + i * 1000) * 1_000_000n,
  node: `n${1 + (i % 2)}`,
  text: `I1122 10:00:${String(i).padStart(2, '0')}.000000    1432 kubelet.go:2468] "SyncLoop ADD" source="api" pods=[]`,
}));
const ASKED = ['--query', '{unit="kubelet.service"}', '--since', '2026-11-22T10:00:00Z', '--until', '2026-11-22 11:00'];

/** A signal would win against the fetching: it never comes. */
async function syncloop(...argv: string[]) {
  let [out, err] = ['', ''];
  const code = await main(argv, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    untilSignal: () => new Promise(() => {}),
  });
  return { code, out, err };
}

let store: LogStore;
let url: string;
let folder: string;
beforeEach(async () => {
  store = new LogStore(LINES);
  url = await store.start();
  folder = mkdtempSync(join(tmpdir(), 'syncloop-fetch-'));
  return async () => {
    await store.stop();
    rmSync(folder, { recursive: true, force: true });
  };
});
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('syncloop fetch', () => {
  it('writes one file for each node, which explain reads as a fleet', async () => {
    const logs = join(folder, 'logs');
    const { code, out, err } = await syncloop('fetch', 'loki', url, ...ASKED, '-o', logs);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/of 2 nodes in .*logs: syncloop explain .*logs\n$/);
    expect(readFileSync(join(logs, 'n1', 'kubelet.log'), 'utf8').split('\n')).toHaveLength(21);
    expect(statSync(join(logs, 'n1', 'kubelet.log')).mode & 0o777).toBe(0o600);
    expect((await syncloop('explain', logs)).out).toContain('2 of 2 nodes were read, 40 lines.');
  });

  it('sends credentials out of files, with other headers, and prints none', async () => {
    store.faults.push({ status: 401 });
    const flags = [
      ...['--token-file', file('token', 'abc.def\n'), '--header-file', file('headers', 'X-Scope-OrgID: team-a\n')],
      ...['-o', join(folder, 'logs')],
    ];
    const { code, err } = await syncloop('fetch', 'loki', url, ...ASKED, ...flags);
    expect(store.asked[0]?.headers).toMatchObject({ authorization: 'Bearer abc.def', 'x-scope-orgid': 'team-a' });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('answers 401: give credentials') });
    expect(err).not.toContain('abc.def');
    const basic = ['--basic-auth-file', file('basic', 'me:s3cret'), '-o', join(folder, 'more')];
    await syncloop('fetch', 'elasticsearch', url, ...ASKED, ...basic);
    expect(store.asked[1]?.headers.authorization).toBe(`Basic ${Buffer.from('me:s3cret').toString('base64')}`);
  });

  it('ends at a signal', async () => {
    store.faults.push({ silent: true });
    const { code, err } = await runProgram(main, 'fetch', 'loki', url, ...ASKED, '-o', join(folder, 'logs'));
    expect({ code, err }).toEqual({ code: 130, err: expect.stringContaining('interrupted') });
  });

  it.each<[readonly string[], string]>([
    [['loki', 'URL'], '--query is required'],
    [['loki'], 'give a store and its address'],
    [['splunk', 'URL'], 'the store is "splunk", but must be one of loki, elasticsearch'],
    [['loki', 'loki.example', '--query', '{}'], 'is not an address'],
    [['loki', 'ftp://x', '--query', '{}'], 'begins with https:// or http://'],
    [['loki', 'https://me:s3cret@x', '--query', '{}'], 'put USER:PASSWORD into a file'],
    [['loki', 'URL', '--query', '{}', '--since', 'yesterday'], '--since is "yesterday", but must be'],
    [['loki', 'URL', '--query', '{}', '--until', '2d'], '--since is not before --until'],
    [['loki', 'URL', '--query', '{}', '--index', 'x'], '--index has no effect on loki'],
    [['url', 'URL', '--since', '1h'], '--since has no effect on url'],
    [['loki', 'http://logs.example', '--query', '{}', '--token-file', 'TOKEN'], 'without encryption'],
    [['loki', 'http://localhost.evil.example', '--query', '{}', '--token-file', 'TOKEN'], 'without encryption'],
    [['loki', 'http://127.evil.example', '--query', '{}', '--basic-auth-file', 'TOKEN'], 'without encryption'],
    [['loki', 'http://logs.example', '--query', '{}', '--header-file', 'COOKIE'], 'the header cookie would be sent'],
    [['url', 'http://logs.example', '--header-file', 'KEY'], 'the header x-api-key would be sent to logs.example'],
    [['loki', 'URL', '--query', '{}', '--header-file', 'TOKEN'], 'is not a header'],
    [['loki', 'URL', '--query', '{}', '--since', '-1h'], '--since is "-1h", but must be'],
  ])('refuses %j', async (argv, problem) => {
    const token = file('token', 'abc.def');
    const words: { readonly [word: string]: string } = {
      URL: url,
      TOKEN: token,
      COOKIE: file('cookie', 'X-Scope-OrgID: team-a\nCookie: session=s3cret'),
      KEY: file('key', 'X-Api-Key: s3cret'),
    };
    const given = argv.map((arg) => words[arg] ?? arg);
    if (argv.includes('2d')) given.push('--since', '1h');
    const { code, out, err } = await syncloop('fetch', ...given, '-o', join(folder, 'logs'));
    expect({ out, err }).toEqual({ out: '', err: expect.stringContaining(problem) });
    expect(code).toBeGreaterThan(0);
    expect(err).not.toMatch(/s3cret|abc\.def/);
    expect(store.asked).toEqual([]);
  });

  it('needs a folder', async () => {
    expect(await syncloop('fetch', 'loki', url, ...ASKED)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--output'),
    });
  });
});
