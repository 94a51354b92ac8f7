import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NodeLogs, type NodeLogsOptions } from './node-logs.js';

const LINES = 'Nov 22 10:00:00.000000 n1 kubelet[1]: I1122 10:00:00.000000       1 server.go:1] "Starting"\n';
let folder: string;
let journalctl: string;
let server: Server | null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'syncloop-logs-'));
  journalctl = join(folder, 'journalctl');
  mkdirSync(join(folder, 'log/app'), { recursive: true });
  writeFileSync(join(folder, 'secret'), 'secret');
  writeFileSync(join(folder, 'log/kubelet.log'), 'a line\n');
  writeFileSync(join(folder, 'log/app/app.log'), 'of app\n');
  writeFileSync(join(folder, 'log/<b>'), '');
  symlinkSync('../secret', join(folder, 'log/out'));
  symlinkSync('kubelet.log', join(folder, 'log/link.log'));
  server = null;
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});
/** A journal that has the units that are named, and notes how it was called. */
function journal(units: string, body = `printf '%s' '${LINES}'`): void {
  const script = `#!/bin/sh\nif [ "$1" = --field ]; then printf '${units}'; exit; fi\nprintf '%s\\n' "$@" > ${folder}/args\n${body}\n`;
  writeFileSync(journalctl, script);
  chmodSync(journalctl, 0o700);
}
async function get(path: string, options: Partial<NodeLogsOptions> = {}) {
  const logs = new NodeLogs({ queries: true, folder: join(folder, 'log'), journalctl, ...options });
  server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    const given = decodeURIComponent(url.pathname.slice('/logs/'.length));
    const answer = await logs.answer(given, { request, response, path: url.pathname, query: url.searchParams });
    if (answer) response.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.body);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/logs/${path}`);
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
}

describe('queries for logs of the node', () => {
  it('are answered out of the journal, with its options', async () => {
    journal('kubelet.service\\ncontainerd.service\\n');
    const { status, text } = await get(
      '?query=kubelet&sinceTime=2026-11-22T10:00:00Z&untilTime=2026-11-22T12:00:00%2B01:00&tailLines=5&pattern=a.*b&boot=-1',
    );
    expect({ status, text }).toEqual({ status: 200, text: LINES });
    expect(readFileSync(join(folder, 'args'), 'utf8').trim().split('\n')).toEqual([
      ...[
        '--utc',
        '--no-pager',
        '--output=short-precise',
        '--since=2026-11-22 10:00:00',
        '--until=2026-11-22 11:00:00',
      ],
      ...['--pager-end', '--lines=5', '--unit=kubelet', '--grep=a.*b', '--boot', '-1'],
    ]);
  });

  it('are answered out of files of services that have no unit, whole', async () => {
    journal('containerd.service\\n');
    expect(await get('?query=kubelet')).toMatchObject({ status: 200, text: 'a line\n' });
    expect((await get('?query=app')).text).toBe('of app\n');
    expect((await get('?query=nothing')).text).toBe('\nlog not found for nothing\n');
    expect((await get('?query=kubelet&tailLines=1')).text).toContain(
      'options present and query resolved to log files for [kubelet]',
    );
  });

  it('say what went wrong of the journal, and that there is none', async () => {
    journal('kubelet.service\\n', 'echo "no such boot" >&2; exit 1');
    expect(await get('?query=kubelet&boot=-9')).toMatchObject({ status: 200, text: 'no such boot\n' });
    expect((await get('?query=kubelet', { journalctl: '/nowhere/journalctl' })).text).toBe('a line\n');
  });

  it('name files below the folder', async () => {
    expect((await get('?query=/app/app.log')).text).toBe('of app\n');
    expect(await get('?query=/nothing')).toMatchObject({ status: 406, text: expect.stringContaining('no such file') });
  });

  it.each<[string, number, string]>([
    ['?query=%20', 400, 'query cannot be empty'],
    ['?query=kubelet&sinceTime=yesterday', 400, 'sinceTime: Invalid value: "yesterday": invalid time format'],
    ['?query=kubelet&tailLines=x', 400, 'tailLines'],
    ['?tailLines=5', 406, 'query: Required value: cannot be empty with options'],
    ['?query=kubelet&tailLines=-1', 406, 'must be greater than or equal to 0'],
    ['?query=kubelet&tailLines=100001', 406, 'must be less than or equal to 100000'],
    ['?query=kubelet&boot=1', 406, 'boot: Invalid value: 1: must be less than 1'],
    ['?query=kubelet&pattern=(', 406, 'pattern'],
    ['?query=a%3Bb', 406, 'input contains unsupported characters'],
    ['?query=kubelet&query=/app/app.log', 406, 'cannot specify a file and service'],
    ['?query=/app/app.log&tailLines=1', 406, 'cannot specify file with options'],
    ['?query=kubelet&sinceTime=2026-11-22T10:00:00Z&untilTime=2026-11-22T09:00:00Z', 406, 'must be after `sinceTime`'],
    ['app?query=kubelet', 406, 'path not allowed in query mode'],
  ])('refuse %s', async (path, status, why) => {
    journal('kubelet.service\\n');
    expect(await get(path)).toMatchObject({ status, text: expect.stringContaining(why) });
  });
});

describe('files of the node', () => {
  it('are served below the folder, wherever links lead within it', async () => {
    expect(await get('kubelet.log', { queries: false })).toMatchObject({ status: 200, text: 'a line\n' });
    expect((await get('link.log')).text).toBe('a line\n');
    expect((await get('?query=kubelet', { queries: false })).type).toContain('text/html');
    const { text } = await get('');
    expect(text).toContain('<a href="app/">app/</a>');
    expect(text).toContain('<a href="kubelet.log">kubelet.log</a>');
    expect(text).not.toContain('<b>');
  });

  it.each(['out', '..%2Fsecret', '%2e%2e/secret', 'app/..%2F..%2Fsecret', '%00', 'nothing'])(
    'are not %s',
    async (path) => {
      expect((await get(path)).text).not.toContain('secret');
      expect((await get(`?query=/${path}`)).text).not.toContain('secret\n');
    },
  );
});
