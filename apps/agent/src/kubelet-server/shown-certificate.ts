/** The certificate that the server shows at each handshake, and the authority of clients. upstream: NewMainKubelet */
import type { Socket } from 'node:net';
import type { SecureContextOptions, Server } from 'node:tls';
import { Logger } from '@syncloop/core/kubelet';
import type { ServerSource } from './source.js';

interface Pair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** The shortest time between two log lines about a missing certificate, ms. */
const tellMillis = 10_000;

/**
 * Asks the kubelet for its certificate whenever a client connects, and gives the server another one if it has changed.
 * Without any the server refuses the handshake.
 */
export class ShownCertificate {
  private last: readonly [pair: Pair | null, ca: string | null] = [null, null];
  private lastLogged = Number.NEGATIVE_INFINITY;
  private readonly log: Logger;

  constructor(
    private readonly node: ServerSource['node'],
    /** The pair until the kubelet has one; null for none. */
    private readonly first: Pair | null,
    private readonly minVersion: 'TLSv1.2' | 'TLSv1.3',
    private readonly clientCA: () => string | null,
  ) {
    this.log = new Logger(node.kernel, 'server.go');
  }

  private current(): Pair | null {
    return this.node.madeKubelet()?.serverCertificateManager?.current() ?? this.first;
  }

  /** The context for the next handshake. */
  context(): SecureContextOptions {
    const [pair, ca] = [this.current(), this.clientCA()];
    this.last = [pair, ca];
    return {
      minVersion: this.minVersion,
      ...(pair && { cert: pair.certPem, key: pair.keyPem }),
      ...(ca !== null && { ca }),
    };
  }

  keepUpToDate(server: Server): void {
    // This comes before the server's own listener, which begins the handshake.
    server.prependListener('connection', (socket: Socket) => {
      const pair = this.current();
      if (!pair) this.tell(socket.remoteAddress ?? '');
      if (pair !== this.last[0] || this.clientCA() !== this.last[1]) server.setSecureContext(this.context());
    });
  }

  private tell(address: string): void {
    if (performance.now() < this.lastLogged + tellMillis) return;
    this.lastLogged = performance.now();
    const message = `http: TLS handshake error from ${address}: no serving certificate available for the kubelet`;
    this.node.kernel.post(() => this.log.info(0, message));
  }
}
