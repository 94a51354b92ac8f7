import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTLSServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Evidence } from '@syncloop/observe';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CertificateAuthority } from '../tls/certificate.js';
import { BackOff } from './back-off.js';
import { type KubeletAccess, KubeletClient } from './kubelet-client.js';
import { scrapeMetrics, watchPods } from './polled-source.js';
import type { EvidenceSource } from './source.js';

const SECRET = 'very-secret-token';

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'syncloop-kubelet-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return (name: string, text: string) => {
    writeFileSync(join(path, name), text);
    return join(path, name);
  };
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
const plain = async (answer: RequestListener): Promise<KubeletAccess> => ({
  url: `http://127.0.0.1:${await listening(createServer(answer))}`,
});

/** Runs a source until it has emitted and reported this many things; returns both. */
async function follow(make: (client: KubeletClient) => EvidenceSource, access: KubeletAccess, until: number) {
  const source = make(new KubeletClient(access));
  const evidence: Evidence[] = [];
  const said: string[] = [];
  await new Promise<void>((resolve) => {
    const more = () => evidence.length + said.length >= until && resolve();
    source.start(
      async (pieces) => {
        evidence.push(...pieces);
        more();
      },
      (sentence) => {
        said.push(sentence.replace(access.url, 'KUBELET'));
        more();
      },
    );
  });
  await source.stop();
  return { evidence, said };
}
const quick = { everyMillis: 1, backOff: new BackOff(1, 2), now: () => 1_700_000_000_000 };
const pods = (client: KubeletClient) => watchPods({ id: 'pods', client, ...quick });
const list = (...names: string[]) =>
  JSON.stringify({
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: {},
    items: names.length > 0 ? names.map((name) => ({ metadata: { name, namespace: 'd', uid: name } })) : null,
  });

describe("the kubelet's pods", () => {
  it('are evidence each time they have changed', async () => {
    const answers = [list(), list(), list('a'), list('a'), list('a'), list('a', 'b')];
    let nth = 0;
    const access = await plain((_request, response) => response.end(answers[Math.min(nth++, 5)]));
    const { evidence, said } = await follow(pods, access, 3);
    expect(evidence.map((e) => e.kind === 'pods' && [e.scope, e.pods.length, e.at])).toEqual([
      ['all', 0, 1.7e15],
      ['all', 1, 1.7e15],
      ['all', 2, 1.7e15],
    ]);
    expect(said).toEqual([]);
  });

  it('are asked for again after what goes wrong, which is said once', async () => {
    const answers: RequestListener[] = [
      (_q, r) => r.writeHead(500).end('no'),
      (_q, r) => r.writeHead(500).end('no'),
      // Half an answer.
      (_q, r) => {
        r.writeHead(200, { 'content-length': 1000 }).write(list('a').slice(0, 20), () => r.destroy());
      },
      (_q, r) => r.end(list('a').slice(0, 20)),
      (_q, r) => r.end('<html>'),
      (_q, r) => r.end(list('a')),
    ];
    let nth = 0;
    const access = await plain((request, response) => (answers[nth++] ?? answers[5])?.(request, response));
    const { evidence, said } = await follow(pods, access, 6);
    expect(said).toEqual([
      'KUBELET/pods answered 500. It is tried again.',
      'KUBELET/pods: the connection broke off within the answer. It is tried again.',
      'KUBELET/pods did not answer with a list of pods: What begins at line 1 has no end. It is tried again.',
      expect.stringMatching(/^KUBELET\/pods did not answer with a list of pods: .* It is tried again\.$/),
      'KUBELET/pods answers again.',
    ]);
    expect(evidence).toHaveLength(1);
  });

  it('of a kubelet that is gone are waited for', async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    const { said } = await follow(pods, { url: `http://127.0.0.1:${port}` }, 1);
    expect(said).toEqual(['KUBELET/pods: nobody listens there: does the kubelet run? It is tried again.']);
  });
});

describe("the kubelet's counters", () => {
  it('are evidence with the time at which they were asked for', async () => {
    const access = await plain((_request, response) => response.end('kubelet_a 1\n'));
    const { evidence } = await follow((client) => scrapeMetrics({ id: 'm', client, ...quick }), access, 2);
    expect(evidence[0]).toMatchObject({
      kind: 'metrics',
      at: 1.7e15,
      timed: true,
      samples: new Map([['kubelet_a', 1]]),
    });
  });
});

describe('a kubelet that wants to know who asks', () => {
  const authority = new CertificateAuthority({ commonName: 'test', days: 1 });
  const other = new CertificateAuthority({ commonName: 'other', days: 1 });
  const server = authority.issue({ commonName: 'node1', hosts: ['node1'], days: 1, usage: 'server' });
  const client = authority.issue({ commonName: 'me', days: 1, usage: 'client' });

  async function kubelet(answer: RequestListener) {
    const file = folder();
    const made = createTLSServer(
      { cert: server.certPem, key: server.keyPem, ca: authority.certPem, requestCert: true, rejectUnauthorized: false },
      answer,
    );
    const url = `https://127.0.0.1:${await listening(made as never)}`;
    return { file, access: { url, caFile: file('ca.crt', authority.certPem), serverName: 'node1' } };
  }

  it('gets the token of the file, as it is now', async () => {
    const seen: (string | undefined)[] = [];
    const { file, access } = await kubelet((request, response) => {
      seen.push(request.headers.authorization);
      response.end('ok');
    });
    const tokenFile = file('token', `${SECRET}\n`);
    const asking = new KubeletClient({ ...access, tokenFile });
    expect((await asking.ask('/pods')).toString()).toBe('ok');
    file('token', 'renewed');
    await asking.ask('/pods');
    expect(seen).toEqual([`Bearer ${SECRET}`, 'Bearer renewed']);
  });

  it('gets the client certificate', async () => {
    const { file, access } = await kubelet((request, response) => {
      const { authorized } = request.socket as unknown as { readonly authorized: boolean };
      response.writeHead(authorized ? 200 : 401).end();
    });
    await expect(new KubeletClient(access).ask('/pods')).rejects.toThrow(/requires authentication: give a token file/);
    const certFile = file('me.crt', client.certPem);
    const keyFile = file('me.key', client.keyPem);
    await new KubeletClient({ ...access, certFile, keyFile }).ask('/pods');
  });

  it('is told what to do where it refuses, and no message has the token', async () => {
    const codes = [401, 403, 403, 404];
    const { file, access } = await kubelet((_request, response) =>
      response.writeHead(codes.shift() ?? 500).end(SECRET),
    );
    const tokenFile = file('token', SECRET);
    const asking = new KubeletClient({ ...access, tokenFile });
    const messages: string[] = [];
    for (const path of ['/pods', '/pods', '/metrics', '/pods'])
      await asking.ask(path).catch((err: Error) => messages.push(err.message));
    expect(messages).toEqual([
      expect.stringContaining(`does not take the token in ${tokenFile}`),
      expect.stringContaining('allow get on nodes/proxy, or nodes/pods'),
      expect.stringContaining('allow get on nodes/metrics'),
      expect.stringContaining('is this the address of a kubelet?'),
    ]);
    expect(messages.join()).not.toContain(SECRET);
  });

  it('must be who it says it is: nothing is sent to another', async () => {
    const seen: unknown[] = [];
    const { file, access } = await kubelet((request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    });
    const tokenFile = file('token', SECRET);
    const ask = (more: Partial<KubeletAccess>) => new KubeletClient({ ...access, tokenFile, ...more }).ask('/pods');
    await expect(ask({ caFile: file('other.crt', other.certPem) })).rejects.toThrow(/authority that is not trusted/);
    await expect(ask({ serverName: 'node2' })).rejects.toThrow(/for another name: give the name of the node/);
    expect(seen).toEqual([]);
  });

  it('that is slow, or says too much, is not waited for', async () => {
    const access = await plain((request, response) => {
      if (request.url === '/pods') response.write('x');
      else response.end('y'.repeat(1000));
    });
    const asking = new KubeletClient(access);
    await expect(asking.ask('/pods', { timeoutMillis: 50 })).rejects.toThrow(/\/pods did not answer within 0\.05 s/);
    await expect(asking.ask('/metrics', { most: 100 })).rejects.toThrow(/more than 100 bytes/);
  });

  it('is not asked in a way that gives the credentials away', () => {
    const wrong = (access: KubeletAccess) => () => new KubeletClient(access);
    expect(wrong({ url: 'kubelet' })).toThrow(/is not a URL: write https/);
    expect(wrong({ url: 'http://10.0.0.1:10255' })).toThrow(/in clear over the network: use https/);
    expect(wrong({ url: 'http://127.0.0.1:10255', tokenFile: 't' })).toThrow(/takes no credentials/);
    expect(wrong({ url: 'https://u:p@127.0.0.1' })).toThrow(/no credentials/);
    expect(wrong({ url: 'https://127.0.0.1', certFile: 'c' })).toThrow(/needs its key/);
  });

  it('a file that is not there, or may not be read, is named', async () => {
    const file = folder();
    const empty = file('empty', '\n');
    const url = 'https://127.0.0.1:1';
    await expect(new KubeletClient({ url, tokenFile: `${empty}x` }).ask('/pods')).rejects.toThrow(
      /emptyx does not exist/,
    );
    await expect(new KubeletClient({ url, tokenFile: empty }).ask('/pods')).rejects.toThrow(/it must have one line/);
    chmodSync(empty, 0);
    if (process.getuid?.() !== 0)
      await expect(new KubeletClient({ url, tokenFile: empty }).ask('/pods')).rejects.toThrow(/may not read/);
  });
});
