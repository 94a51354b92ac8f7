/** Connections follow the client certificate. upstream: pkg/kubelet/certificate/transport.go */

import { toTime } from '../../api/time.js';
import { type Context, type Go, type Kernel, Minute, recv, Second, select, Timer } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { Logger } from '../klog.js';
import type { CertificateSource } from './certificate-manager.js';
import type { KeyPair } from './host.js';

/** upstream: UpdateTransport */
const period = 10 * Second;
const firstPeriod = Second;
/** upstream: cmd/kubelet/app/server.go buildKubeletClientConfig */
const exitAfter = 5 * Minute;

export interface RotationOptions {
  readonly kernel: Kernel;
  readonly certificates: CertificateSource;
  /** Ends all connections, so that the next ones show the new certificate. */
  closeConnections(): void;
  /**
   * Ends the kubelet: it has no certificate with which it could get another one. It may have credentials after a
   * restart.
   */
  exit(why: string): void;
}

/**
 * Looks at the client certificate every 10 s (every second until there is one): after a change all connections are
 * closed; if none has been valid for 5 minutes although the server answers, the kubelet ends.
 * upstream: addCertRotation
 */
export function* followRotation(ctx: Context, o: RotationOptions): Go<void> {
  const { kernel, certificates } = o;
  const log = new Logger(kernel, 'transport.go');
  let lastAvailable: Micros = kernel.now();
  let last: KeyPair | null = certificates.current();
  let left: Micros = 0;
  for (;;) {
    const wait = last ? period : firstPeriod;
    const timer = new Timer(kernel, wait, { name: 'certificate check', quiet: true });
    const s = yield* select({ time: recv(timer.c), done: recv(ctx.done()) });
    timer.stop();
    if (s.case === 'done') return;
    const current = certificates.current();
    left -= wait;
    // A missing certificate keeps the kubelet from working: this is checked and logged once a period.
    if (!current && left <= 0 && kernel.now() > lastAvailable + exitAfter) {
      left = period;
      const fields = { lastCertificateAvailabilityTime: toTime(kernel, lastAvailable), shutdownThreshold: '5m0s' };
      if (certificates.serverHealthy()) {
        const why = 'No valid client certificate is found and the server is responsive, exiting.';
        log.error(null, why, fields);
        o.exit(why);
        return;
      }
      log.error(
        null,
        'No valid client certificate is found but the server is not responsive. A restart may be necessary to retrieve new initial credentials.',
        fields,
      );
    }
    if (current) lastAvailable = kernel.now();
    if (!current || current === last) continue;
    last = current;
    log.info(0, 'Certificate rotation detected, shutting down client connections to start using new credentials');
    o.closeConnections();
  }
}
