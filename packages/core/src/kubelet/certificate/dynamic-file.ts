/** Files that somebody else renews. upstream: apiserver pkg/server/dynamiccertificates */
import { type Context, type Go, type Kernel, Minute, messageOf, recv, select, Timer } from '../../kernel/index.js';
import type { OSInterface } from '../host.js';
import { Logger } from '../klog.js';
import type { CertificateSource } from './certificate-manager.js';
import type { CertificateCrypto, KeyPair } from './host.js';

/** Largest file of certificates that is read, bytes. */
const largestFile = 1024 * 1024;

/** upstream: the files of apiserver pkg/server/dynamiccertificates */
type Source = 'dynamic_serving_content.go' | 'dynamic_cafile_content.go';

/**
 * Calls `look` once a minute and whenever one of the files may have changed, until the context ends. What `look` throws
 * is logged.
 */
export function* followFiles(
  { kernel, os }: { readonly kernel: Kernel; readonly os: OSInterface },
  ctx: Context,
  files: readonly string[],
  look: () => Go<void>,
  source: Source = 'dynamic_serving_content.go',
): Go<void> {
  const log = new Logger(kernel, source);
  const [first, second = null] = [...new Set(files)];
  const watch = function* (file: string | null | undefined) {
    try {
      return file ? yield* os.watch(ctx, file) : null;
    } catch {
      return null;
    }
  };
  while (!ctx.err()) {
    const [one, other] = [yield* watch(first), yield* watch(second)];
    for (let watching = true; watching; ) {
      try {
        yield* look();
      } catch (err) {
        log.error(err, 'Unhandled Error', { files: files.join(',') });
      }
      const timer = new Timer(kernel, Minute, { name: 'files of certificates', quiet: true });
      const s = yield* select({ time: recv(timer.c), one: recv(one), other: recv(other), done: recv(ctx.done()) });
      timer.stop();
      if (s.case === 'done') return;
      // After a minute, and where a watch has ended, the files are watched anew: they may be other ones by now.
      watching = s.case !== 'time' && s.ok;
    }
  }
}

/**
 * A certificate and its key in two files. Where they change the new pair is used as soon as it is whole; until then,
 * and where it cannot be used, the last one.
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

  /** There is no server to be asked. */
  serverHealthy(): boolean {
    return true;
  }

  /** Throws where the files cannot be read or do not belong together. upstream: loadCertKeyPair */
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

  /** Until the context ends. */
  start(ctx: Context): void {
    const { kernel, certFile, keyFile } = this.o;
    const follow = () => followFiles(this.o, ctx, [certFile, keyFile], () => this.load());
    kernel.go('serving certificate files', follow, { daemon: true });
  }
}
