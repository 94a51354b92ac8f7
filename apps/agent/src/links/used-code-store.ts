/**
 * Remembers used codes for as long as the token from which they were made is valid: across restarts of a debugger's
 * process, and, in a file next to the token, across restarts of the whole program (`--ui-token-file`). Otherwise a used
 * link would work again after a restart.
 */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { list, matching, object, read, type Shape, whole } from '@syncloop/core/shape';
import { SetupError } from '../base/errors.js';
import { readRegularSync, settingsLimit } from '../base/read-file.js';
import { isRecent, MOST_USED, type UsedCode } from './link-code.js';

const digest = matching(/^[\w-]{43}$/, 'a SHA-256 digest in base64url');
/** A used code as it comes from a file, or from another process. */
export const usedCodeShape: Shape<UsedCode> = object({ code: digest, page: digest, made: whole(0) });
const fileShape = object({ used: list(usedCodeShape) });

export interface UsedCodeStoreOptions {
  /** The file that keeps them over restarts; rewritten at each use, for its owner alone. Default: only in memory. */
  readonly file?: string;
  /** Called once if the file cannot be written. */
  readonly warn?: (text: string) => void;
  /** Milliseconds since 1970. */
  readonly wallMillis?: () => number;
}

export class UsedCodeStore {
  private readonly used = new Map<string, UsedCode>();
  private readonly wallMillis: () => number;
  private warned = false;

  /**
   * Reads the file, if there is one. Throws a SetupError if it is damaged: which links were used is not known then.
   */
  constructor(private readonly options: UsedCodeStoreOptions = {}) {
    this.wallMillis = options.wallMillis ?? Date.now;
    if (options.file !== undefined) for (const one of readFile(options.file)) this.used.set(one.code, one);
    this.forget();
  }

  /** Returns the codes that could still be valid, had they not been used. */
  all(): readonly UsedCode[] {
    this.forget();
    return [...this.used.values()];
  }

  /** Keeps a code; on the disk when it returns, if there is a file that can be written. */
  add(one: UsedCode): void {
    // A code that is not valid anyway need not be remembered, whoever sends it.
    if (!isRecent(one, this.wallMillis()) || this.used.has(one.code)) return;
    this.forget();
    const [oldest] = this.used.keys();
    if (this.used.size >= MOST_USED && oldest !== undefined) this.used.delete(oldest);
    this.used.set(one.code, one);
    const { file, warn } = this.options;
    if (file === undefined) return;
    try {
      writeFile(file, [...this.used.values()]);
    } catch (err) {
      if (!this.warned)
        warn?.(
          `used links cannot be kept in ${file}: ${(err as Error).message}; if this restarts within 20 minutes, they work once more`,
        );
      this.warned = true;
    }
  }

  private forget(): void {
    const now = this.wallMillis();
    for (const [key, one] of this.used) if (!isRecent(one, now)) this.used.delete(key);
  }
}

function readFile(file: string): readonly UsedCode[] {
  let content: string;
  try {
    content = readRegularSync(file, { limit: settingsLimit }).toString('utf8');
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw damaged(file, err as Error);
  }
  try {
    return read(fileShape, JSON.parse(content), file).used;
  } catch (err) {
    throw damaged(file, err as Error);
  }
}

const damaged = (file: string, { message }: Error): SetupError =>
  new SetupError(
    `${file}, which records the used links, cannot be read: ${message}; remove it together with the token file, so that a new token makes all old links useless`,
  );

/** Whole or not at all. */
function writeFile(file: string, used: readonly UsedCode[]): void {
  const unfinished = `${file}.new`;
  const fd = openSync(unfinished, 'w', 0o600);
  try {
    writeSync(fd, `${JSON.stringify({ used })}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(unfinished, file);
}
