import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type Server as TLSServer } from 'node:tls';
import { Kernel } from '@syncloop/core/kernel';
import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeServer } from '../base/ignore-errors.js';
import { CertificateAuthority } from '../tls/certificate.js';
import { makeServer, text } from './http.js';
import { ShownCertificate } from './shown-certificate.js';
import type { ServerSource } from './source.js';

const authority = new CertificateAuthority({ commonName: 'cluster', days: 1 });
const pair = (commonName: string) => authority.issue({ commonName, hosts: ['127.0.0.1'], days: 1, usage: 'server' });
const clientPair = (of: CertificateAuthority) => of.issue({ commonName: 'jane', days: 1, usage: 'client' });

async function shown(first: ReturnType<typeof pair> | null) {
  const records: TraceRecord[] = [];
  const kernel = new Kernel({ seed: 1, sink: (r) => records.push(r) });
  const state = { pair: null as ReturnType<typeof pair> | null, made: false, ca: null as string | null };
  const kubelet = { serverCertificateManager: { current: () => state.pair } };
  const node = { kernel, madeKubelet: () => (state.made ? kubelet : null) } as unknown as ServerSource['node'];
  const certificate = new ShownCertificate(node, first, 'TLSv1.2', () => state.ca);
  const tls = { ...certificate.context(), requestCert: true, rejectUnauthorized: false };
  const users: boolean[] = [];
  const server: Server = makeServer(
    async ({ request }) => {
      users.push((request.socket as unknown as { authorized: boolean }).authorized);
      return text(200, 'ok');
    },
    { tls, checkHost: false },
  );
  certificate.keepUpToDate(server as unknown as TLSServer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => closeServer(server));
  const { port } = server.address() as AddressInfo;
  /** The common name that the server shows, or why there is no connection. */
  const shake = (client: ReturnType<typeof pair> | null = null): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(
        { host: '127.0.0.1', port, ca: authority.certPem, ...(client && { cert: client.certPem, key: client.keyPem }) },
        () => {
          const name = `${socket.getPeerCertificate().subject.CN}`;
          socket.on('data', () => socket.end(() => resolve(name)));
          socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        },
      );
      socket.on('error', (err: NodeJS.ErrnoException) => resolve(err.code ?? err.message));
    });
  return { kernel, records, state, users, shake };
}

describe("the certificate of the kubelet's server", () => {
  it('[3:CERT-11] is the one that the kubelet has at the handshake', async () => {
    const s = await shown(pair('first'));
    expect(await s.shake()).toBe('first');
    s.state.made = true;
    expect(await s.shake()).toBe('first');
    s.state.pair = pair('second');
    expect(await s.shake()).toBe('second');
    s.state.pair = pair('third');
    expect(await s.shake()).toBe('third');
  });

  it('[3:CERT-11] is none until the API server has signed one, nor after it has expired', async () => {
    const s = await shown(null);
    expect(await s.shake()).toMatch(/HANDSHAKE|ECONNRESET/);
    s.kernel.run({ until: 1 });
    const told = () =>
      s.records.filter((r) => r.kind === 'log' && /no serving certificate available for the kubelet/.test(r.msg));
    expect(told()).toHaveLength(1);
    await s.shake();
    s.kernel.run({ until: 2 });
    expect(told()).toHaveLength(1);
    s.state.made = true;
    s.state.pair = pair('signed');
    expect(await s.shake()).toBe('signed');
    s.state.pair = null;
    expect(await s.shake()).toMatch(/HANDSHAKE|ECONNRESET/);
  });

  it('[3:CERT-11] is checked against the authority of clients that the file has by then', async () => {
    const [old, next] = [1, 2].map((n) => new CertificateAuthority({ commonName: `clients ${n}`, days: 1 }));
    const s = await shown(pair('first'));
    s.state.ca = old?.certPem ?? '';
    await s.shake(clientPair(old as CertificateAuthority));
    await s.shake(clientPair(next as CertificateAuthority));
    s.state.ca = next?.certPem ?? '';
    await s.shake(clientPair(old as CertificateAuthority));
    await s.shake(clientPair(next as CertificateAuthority));
    expect(s.users).toEqual([true, false, false, true]);
  });
});
