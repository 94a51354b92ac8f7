/** Certificate files that another program renews. upstream: apiserver pkg/server/dynamiccertificates */

import { messageOf } from '../../base/index.js';
import type { OSInterface } from '../../host/os.js';
import { type Context, type Go, type Kernel, Minute, recv, select, Timer, withCancel } from '../../kernel/index.js';
import { Logger } from '../klog.js';
import type { CertificateSource } from './certificate-manager.js';
import type { CertificateCrypto, KeyPair } from './host.js';

/** Largest file of certificates that is read, bytes. */
const largestFile = 1024 * 1024;

/** upstream: the files of apiserver pkg/server/dynamiccertificates */
type Source = 'dynamic_serving_content.go' | 'dynamic_cafile_content.go';

/**
 * Calls `look` once a minute and whenever one of the files (absolute paths, in at most two folders) may have changed,
 * until the context ends. An error of `look` is logged.
 */
export function* followFiles(
  { kernel, os }: { readonly kernel: Kernel; readonly os: OSInterface },
  ctx: Context,
  files: readonly string[],
  look: () => Go<void>,
  source: Source = 'dynamic_serving_content.go',
): Go<void> {
  const log = new Logger(kernel, source);
  // Folders: a file that is replaced, or reached by a link that is, tells nothing itself.
  const [first, second = null] = [...new Set(files.map((file) => file.slice(0, file.lastIndexOf('/')) || '/'))];
  const watch = function* (watching: Context, folder: string | null | undefined) {
    try {
      return folder ? yield* os.watch(watching, folder) : null;
    } catch {
      return null;
    }
  };
  while (!ctx.err()) {
    // Anew once a minute: what the paths lead to may be other folders by then.
    const [watching, stop] = withCancel(kernel, ctx);
    let [one, other] = [yield* watch(watching, first), yield* watch(watching, second)];
    const timer = new Timer(kernel, Minute, { name: 'files of certificates', quiet: true });
    for (let more = true; more; ) {
      try {
        yield* look();
      } catch (err) {
        log.error(err, 'Unhandled Error', { files: files.join(',') });
      }
      const s = yield* select({ time: recv(timer.c), one: recv(one), other: recv(other), done: recv(ctx.done()) });
      // A watch that has ended tells nothing more.
      if (s.case === 'one' && !s.ok) one = null;
      if (s.case === 'other' && !s.ok) other = null;
      more = s.case === 'one' || s.case === 'other';
    }
    timer.stop();
    stop();
  }
}

/**
 * A certificate and its key in two files. If they change, the new pair is used as soon as it is whole; until then, and
 * if it cannot be used, the last one.
 * upstream: NewKubeletServerCertificateDynamicFileManager
 */
export class DynamicFilePair implements CertificateSource {
  private readonly log: Logger;
  private pair: KeyPair | null = null;
  private text = '';

  constructor(
    private readonly o: {
      readonly kernel: Kernel;
      readonly os: OSInterface;
      readonly crypto: CertificateCrypto;
      readonly certFile: string;
      readonly keyFile: string;
    },
  ) {
    this.log = new Logger(o.kernel, 'kubelet.go');
  }

  current(): KeyPair | null {
    return this.pair;
  }

  /** Returns true: there is no server to be asked. */
  serverHealthy(): boolean {
    return true;
  }

  /** Throws if the files cannot be read or do not belong together. upstream: loadCertKeyPair */
  *load(): Go<void> {
    const { os, crypto, certFile, keyFile } = this.o;
    const certPem = yield* os.readFile(certFile, { limit: largestFile });
    const keyPem = yield* os.readFile(keyFile, { limit: largestFile });
    const text = `${certPem}\n${keyPem}`;
    if (text === this.text) return;
    try {
      this.pair = crypto.keyPair(certPem, keyPem);
    } catch (err) {
      throw new Error(`invalid certificate and key pair from file: ${certFile}, ${keyFile}: ${messageOf(err)}`, {
        cause: err,
      });
    }
    this.text = text;
    this.log.info(4, 'loaded certificate and key pair in kubelet server certificate manager', { certFile, keyFile });
  }

  /** Follows the files until the context ends. */
  start(ctx: Context): void {
    const { kernel, certFile, keyFile } = this.o;
    const follow = () => followFiles(this.o, ctx, [certFile, keyFile], () => this.load());
    kernel.go('serving certificate files', follow, { daemon: true });
  }
}
