import { epochMillis } from '../../api/time.js';
import { messageOf } from '../../base/index.js';
import type { OSInterface } from '../../host/os.js';
import type { Go, Kernel } from '../../kernel/index.js';
import { Logger } from '../klog.js';
import type { CertificateCrypto, KeyPair } from './host.js';

/** No certificate is kept yet. upstream: certificate.NoCertKeyError */
export class NoCertKeyError extends Error {
  override readonly name = 'NoCertKeyError';
}

/** Largest file of certificates and keys that is read, bytes. */
const largestFile = 1024 * 1024;

/** Options of the store of certificates with their keys. */
export interface FileStoreOptions {
  readonly kernel: Kernel;
  readonly os: OSInterface;
  readonly crypto: CertificateCrypto;
  /** `kubelet-client`: files are `kubelet-client-2026-01-31-12-00-00.pem`, the link `kubelet-client-current.pem`. */
  readonly pairNamePrefix: string;
  /** An absolute path. */
  readonly certDirectory: string;
  /** Read if there is no current pair; '' for none. */
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * Certificates with their keys on disk, one file for each pair, and a link to the current one.
 *
 * A new pair is written and synced before the link is replaced, in one step: whatever the kubelet is interrupted by,
 * the link leads to a whole pair, the old one or the new one. Upstream removes the link before it puts the new one in
 * its place; what that leaves behind when it is interrupted is recovered here, too.
 * upstream: client-go util/certificate NewFileStore
 */
export class FileStore {
  private readonly log: Logger;

  constructor(private readonly o: FileStoreOptions) {
    this.log = new Logger(o.kernel, 'certificate_store.go');
  }

  /** The path of the link to the current pair. upstream: (*fileStore).CurrentPath */
  currentPath(): string {
    return this.path('current');
  }

  private path(qualifier: string): string {
    const { certDirectory, pairNamePrefix } = this.o;
    return `${certDirectory}/${pairNamePrefix}-${qualifier}.pem`;
  }

  /**
   * Moves into place the link that an interrupted update left next to it. Call it once, before anything else.
   * upstream: (*fileStore).recover
   */
  *recover(): Go<void> {
    const { os } = this.o;
    const [current, updated] = [this.path('current'), this.path('updated')];
    if (yield* os.stat(current)) return;
    if (!(yield* this.isLink(updated))) return;
    yield* this.replaceLink(updated, current);
  }

  /** Returns true if a link exists; throws if the path is something else. */
  private *isLink(path: string): Go<boolean> {
    const { os } = this.o;
    const stat = yield* (os.lstat ?? os.stat).call(os, path);
    if (!stat) return false;
    if (stat.type !== 'link') throw new Error(`expected ${JSON.stringify(path)} to be a symlink but it is a file`);
    return true;
  }

  private *replaceLink(updated: string, current: string): Go<void> {
    try {
      yield* this.o.os.rename(updated, current);
    } catch (err) {
      throw new Error(`unable to rename ${JSON.stringify(updated)} to ${JSON.stringify(current)}: ${messageOf(err)}`, {
        cause: err,
      });
    }
  }

  /** The current pair; throws a NoCertKeyError if there is none, an Error if it cannot be used. */
  *current(): Go<KeyPair> {
    const { os, certFile, keyFile, certDirectory, pairNamePrefix } = this.o;
    const current = this.path('current');
    if (yield* os.stat(current)) {
      this.log.info(0, 'Loading cert/key pair from a file', { filePath: current });
      return yield* this.loadFile(current);
    }
    const own = `${certDirectory}/${pairNamePrefix}`;
    const pairs = [
      [certFile, keyFile],
      [`${own}.crt`, `${own}.key`],
    ] as const;
    for (const [cert, key] of pairs) {
      if (cert === '' || key === '' || !(yield* os.stat(cert)) || !(yield* os.stat(key))) continue;
      this.log.info(0, 'Loading cert/key pair', { certFile: cert, keyFile: key });
      return this.o.crypto.keyPair(yield* this.read(cert), yield* this.read(key));
    }
    const q = JSON.stringify;
    throw new NoCertKeyError(
      `no cert/key files read at ${q(current)}, (${q(certFile)}, ${q(keyFile)}) or (${q(certDirectory)}, ${q(certDirectory)})`,
    );
  }

  private read(path: string): Go<string> {
    return this.o.os.readFile(path, { limit: largestFile });
  }

  private *loadFile(path: string): Go<KeyPair> {
    const text = yield* this.read(path);
    try {
      return this.o.crypto.keyPair(text, text);
    } catch (err) {
      throw new Error(`could not convert data from ${JSON.stringify(path)} into cert/key pair: ${messageOf(err)}`, {
        cause: err,
      });
    }
  }

  /**
   * Keeps a pair, and makes it the current one. Throws if it cannot be written, or where certificate and key do not
   * belong together: then the current pair stays as it is.
   * upstream: (*fileStore).Update
   */
  *update(certPem: string, keyPem: string): Go<KeyPair> {
    const { os, crypto, kernel, certDirectory } = this.o;
    const stamp = new Date(epochMillis(kernel)).toISOString().slice(0, 19).replace(/[T:]/g, '-');
    const file = this.path(stamp);
    let certificates: ReturnType<CertificateCrypto['parseCertificates']>;
    try {
      certificates = crypto.parseCertificates(certPem);
    } catch (err) {
      throw new Error(`invalid certificate data: ${messageOf(err)}`, { cause: err });
    }
    try {
      yield* os.mkdirAll(certDirectory, 0o755);
    } catch (err) {
      throw new Error(
        `could not create directory ${JSON.stringify(certDirectory)} to store certificates: ${messageOf(err)}`,
        { cause: err },
      );
    }
    const lines = [...certificates.map((c) => c.pem), keyPem].map((pem) => `${pem.trim()}\n`);
    try {
      yield* os.writeFile(file, lines.join(''), 0o600);
      yield* os.syncFile?.(file) ?? nothing();
      const pair = yield* this.loadFile(file);
      yield* this.updateLink(file);
      return pair;
    } catch (err) {
      yield* this.forget(file);
      throw err;
    }
  }

  /** Removes a file; no part of a key stays behind if a disk is full, unless it has become the current one. */
  private *forget(file: string): Go<void> {
    const { os } = this.o;
    const [current, link] = [this.path('current'), os.readlink];
    try {
      if (link && (yield* this.isLink(current)) && (yield* link.call(os, current)) === file) return;
      yield* os.remove(file);
    } catch {
      // It is written over at the next attempt, or stays unused.
    }
  }

  /** upstream: (*fileStore).updateSymlink */
  private *updateLink(file: string): Go<void> {
    const { os } = this.o;
    const [current, updated] = [this.path('current'), this.path('updated')];
    yield* this.isLink(current);
    if (yield* this.isLink(updated)) {
      try {
        yield* os.remove(updated);
      } catch (err) {
        throw new Error(`unable to remove ${JSON.stringify(updated)}: ${messageOf(err)}`, { cause: err });
      }
    }
    try {
      yield* os.symlink(file, updated);
    } catch (err) {
      throw new Error(
        `unable to create a symlink from ${JSON.stringify(updated)} to ${JSON.stringify(file)}: ${messageOf(err)}`,
        { cause: err },
      );
    }
    yield* this.replaceLink(updated, current);
  }
}

function* nothing(): Go<void> {}
