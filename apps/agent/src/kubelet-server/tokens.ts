/**
 * Bearer tokens that need no API server: a file for a stand-alone kubelet. One on a line, with user, uid and groups
 * after commas, as in kube-apiserver's --token-auth-file: `TOKEN[,USER[,UID[,"GROUP,GROUP"]]]`.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SetupError } from '../base/errors.js';
import { readSettings } from '../base/read-file.js';

/** The user behind a request. upstream: user.Info */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const defaultUser = 'syncloop:server';
const masters = 'system:masters';
const largestFile = 1024 * 1024;

/** Looks tokens up in a time that reveals nothing about them. */
export class Tokens {
  private readonly entries: readonly (readonly [digest: Buffer, user: User])[];

  constructor(tokens: Iterable<readonly [token: string, user: User]>) {
    this.entries = [...tokens].map(([token, user]) => [digestOf(token), user]);
  }

  find(token: string): User | null {
    const digest = digestOf(token);
    let found: User | null = null;
    for (const [known, user] of this.entries) if (timingSafeEqual(known, digest)) found = user;
    return found;
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Reads such a file; if it is missing, creates it with one random token, for its owner alone. Throws a SetupError. */
export async function tokenFile(path: string): Promise<Map<string, User>> {
  const text = await readOrMake(path);
  const tokens = new Map<string, User>();
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '' || line.startsWith('#')) return;
    const place = `${path}:${i + 1}`;
    const [token = '', name = '', uid = '', groups = ''] = fieldsOf(line.trim(), place);
    if (token.length < 16 || /[^\x21-\x7e]/.test(token))
      throw new SetupError(
        `${place}: a token has 16 or more characters without spaces: make one with "openssl rand -hex 32"`,
      );
    tokens.set(token, {
      name: name || defaultUser,
      ...(uid && { uid }),
      groups: groups ? groups.split(',').map((g) => g.trim()) : name ? [] : [masters],
    });
  });
  if (tokens.size === 0)
    throw new SetupError(`${path}: it contains no token: remove the file, and a new one is created`);
  return tokens;
}

async function readOrMake(path: string): Promise<string> {
  try {
    const stats = await stat(path);
    if (stats.isFile() && stats.mode & 0o077) throw new SetupError(`${path}: others may read it: chmod 600 ${path}`);
    return await readSettings(path, largestFile);
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'EFBIG')
      throw new SetupError(`${path}: a token file may have at most ${largestFile} bytes`);
    if ((err as NodeJS.ErrnoException).code !== 'ENOENT') throw asSetupError(path, err);
  }
  const text = `${randomBytes(32).toString('hex')}\n`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return text;
  } catch (err) {
    // Somebody else was quicker.
    if ((err as NodeJS.ErrnoException).code === 'EEXIST') return await readSettings(path, largestFile);
    throw asSetupError(path, err);
  }
}

const asSetupError = (path: string, err: unknown): SetupError =>
  err instanceof SetupError
    ? err
    : new SetupError(
        `cannot use the token file ${path}: ${(err as Error).message}; choose another with --server-token-file`,
      );

/** Splits values at commas; a value with commas itself is in quotes. */
function fieldsOf(line: string, place: string): string[] {
  const out: string[] = [];
  for (let rest = line; ; ) {
    const m = /^(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/.exec(rest);
    if (!m) throw new SetupError(`${place}: quotes are wrong: write TOKEN,USER,UID,"GROUP,GROUP"`);
    out.push((m[1]?.replaceAll('""', '"') ?? m[2] ?? '').trim());
    if (m[3] !== ',') return out;
    rest = rest.slice(m[0].length);
  }
}
