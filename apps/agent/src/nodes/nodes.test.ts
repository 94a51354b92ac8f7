import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { madeAt } from '../links/link-code.js';
import { Cluster, type Forward } from './cluster.js';
import { serveNodes } from './nodes-server.js';

const TOKEN = 't'.repeat(43);
const pod = (name: string, node: string, ready = true) => ({
  metadata: { name },
  spec: { nodeName: node },
  status: {
    phase: 'Running',
    startTime: '2026-11-22T10:00:00Z',
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    containerStatuses: [
      { restartCount: 2, ...(!ready && { state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off' } } }) },
    ],
  },
});

/** A kubectl that answers from files, and logs its arguments. */
function kubectl(answers: { readonly pods?: object; readonly fails?: string; readonly token?: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-kubectl-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'kubectl');
  writeFileSync(
    path,
    `#!${process.execPath}
const { appendFileSync } = require('node:fs');
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(join(folder, 'asked'))}, args.join(' ') + '\\n');
const answers = ${JSON.stringify({ token: TOKEN, ...answers })};
if (answers.fails) { process.stderr.write('E1122 noise\\n' + answers.fails + '\\n'); process.exit(1); }
if (args.includes('get')) process.stdout.write(JSON.stringify(answers.pods));
else if (args.includes('exec')) process.stdout.write(answers.token + '\\n');
else { process.stdout.write('Forwarding from 127.0.0.1:40123 -> 7330\\n'); setInterval(() => {}, 1000); }
`,
  );
  chmodSync(path, 0o755);
  const cluster = new Cluster({ namespace: 'ns', selector: 'a=b', context: 'c', kubectl: path });
  const asked = () => readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n');
  return { cluster, asked };
}

describe('a cluster', () => {
  it('is asked for the pods of attach, whose names alone are taken where they are names', async () => {
    const { cluster, asked } = kubectl({
      pods: { items: [pod('attach-b', 'node10'), pod('attach-a', 'node9', false), pod('--evil', 'node1'), {}] },
    });
    expect(await cluster.nodes()).toEqual([
      {
        node: 'node9',
        pod: 'attach-a',
        ready: false,
        restarts: 2,
        since: '2026-11-22T10:00:00Z',
        problem: 'Running: ImagePullBackOff: Back-off',
      },
      { node: 'node10', pod: 'attach-b', ready: true, restarts: 2, since: '2026-11-22T10:00:00Z', problem: '' },
    ]);
    expect(asked()).toEqual(['--namespace=ns --context=c get pods --selector a=b --output json']);
  });

  it('gives a port and a token, and closes the port', async () => {
    const { cluster, asked } = kubectl({});
    const forward = await cluster.forward('attach-a');
    expect(forward.port).toBe(40123);
    expect(await cluster.token('attach-a')).toBe(TOKEN);
    forward.close();
    await forward.ended;
    expect(asked().toSorted()).toEqual([
      '--namespace=ns --context=c exec attach-a -- cat /run/syncloop/token',
      '--namespace=ns --context=c port-forward --address 127.0.0.1 pod/attach-a :7330',
    ]);
    await expect(cluster.token('-x')).rejects.toThrow(/not the name of a pod/);
  });

  it('says what kubectl says, and what is missing', async () => {
    const refusing = kubectl({ fails: 'Error from server (Forbidden): pods is forbidden' }).cluster;
    await expect(refusing.nodes()).rejects.toThrow('kubectl get: Error from server (Forbidden): pods is forbidden');
    await expect(refusing.forward('a')).rejects.toThrow('kubectl port-forward to a: Error from server (Forbidden)');
    await expect(kubectl({ token: 'short' }).cluster.token('a')).rejects.toThrow(/has no token in/);
    const none = new Cluster({ namespace: 'n', selector: 'l', kubectl: '/nonexistent/kubectl' });
    await expect(none.nodes()).rejects.toThrow(/is not installed here/);
  });
});

describe('the page of nodes', () => {
  async function served() {
    const closed: string[] = [];
    const opened: string[] = [];
    const list = ['a', 'b'].map((name) => ({
      node: `node-${name}`,
      pod: name,
      ready: true,
      restarts: 0,
      since: '',
      problem: '',
    }));
    const server = await serveNodes({
      host: '127.0.0.1',
      port: 0,
      remedy: '',
      ...(process.platform === 'linux' && { address: '127.83.210.9' }),
      title: '<b>ns</b>',
      cluster: {
        nodes: async () => list,
        token: async () => TOKEN,
        forward: async (name): Promise<Forward> => {
          opened.push(name);
          return { port: 40123, ended: new Promise(() => {}), close: () => closed.push(name) };
        },
      },
    });
    onTestFinished(() => server.close());
    const { origin, hash } = new URL(server.link());
    const { token } = server;
    const code = hash.slice('#code='.length);
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${origin}${path}`, { ...init, headers: { Authorization: `Bearer ${token}`, ...init.headers } });
    return { server, origin, code, token, ask, opened, closed };
  }

  it('lists nodes, and opens the one that is asked for, once', async () => {
    const { server, ask, opened, closed } = await served();
    expect(await (await ask('/nodes')).json()).toMatchObject([
      { node: 'node-a', open: false },
      { node: 'node-b', open: false },
    ]);
    for (let n = 0; n < 2; n++) {
      const { url } = (await (await ask('/open?pod=b', { method: 'POST' })).json()) as { url: string };
      const [, opening = ''] = /^http:\/\/127\.0\.0\.1:40123\/#code=([\w-]+)$/.exec(url) ?? [];
      expect(madeAt(opening, TOKEN)).not.toBeNull();
    }
    expect(opened).toEqual(['b']);
    expect(await (await ask('/nodes')).json()).toMatchObject([{ open: false }, { open: true }]);
    await server.close();
    expect(closed).toEqual(['b']);
  });

  it('gives its token for the code of a link, once', async () => {
    const { origin, code, token } = await served();
    const exchange = (given: string, page: string, headers = {}) =>
      fetch(`${origin}/token`, { method: 'POST', headers: { Authorization: `Link ${given} ${page}`, ...headers } });
    const page = 'p'.repeat(32);
    expect((await exchange(code, page, { Origin: 'http://evil.example' })).status).toBe(403);
    expect((await exchange(code, 'short')).status).toBe(401);
    expect((await exchange(`${code}x`, page)).status).toBe(401);
    const first = await exchange(code, page);
    expect([first.status, await first.json()]).toEqual([200, { token }]);
    expect((await exchange(code, page)).status).toBe(200);
    const again = await exchange(code, 'q'.repeat(32));
    expect(again.status).toBe(401);
    expect(await again.text()).toMatch(/used already.*syncloop url/);
    // A code opens nothing but that.
    const nodes = await fetch(`${origin}/nodes`, { headers: { Authorization: `Link ${code} ${page}` } });
    expect(nodes.status).toBe(401);
  });

  it('opens nothing that is not on the list, and nothing for others', async () => {
    const { origin, ask, opened } = await served();
    expect((await ask('/open?pod=--x', { method: 'POST' })).status).toBe(502);
    expect((await ask('/open?pod=a')).status).toBe(404);
    const strangers: Record<string, string>[] = [
      {},
      { Authorization: 'Bearer wrong' },
      { Origin: 'http://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ];
    for (const headers of strangers) {
      const response = await fetch(`${origin}/open?pod=a`, { method: 'POST', headers });
      expect([401, 403]).toContain(response.status);
    }
    expect(opened).toEqual([]);
    const page = await fetch(`${origin}/`);
    expect(await page.text()).toContain('&#60;b&#62;ns');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  });
});
