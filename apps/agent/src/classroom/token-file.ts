import { writeFileSync } from 'node:fs';
import { SetupError } from '../base/errors.js';
import { readFlagFile } from '../cli/flag-file.js';
import { newToken } from '../net/token.js';

/**
 * The audience's token from a file, so that a link goes on to be good after a restart; the file is made, readable for
 * its owner only, if there is none. Throws a SetupError.
 */
export function tokenFrom(file: string): string {
  try {
    const token = newToken();
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new SetupError(
        `--class-token-file ${file} cannot be written: ${(err as Error).message}; name another file`,
      );
  }
  const text = readFlagFile('--class-token-file', file).trim();
  if (!/^[\w-]{32,100}$/.test(text))
    throw new SetupError(
      `${file} does not contain a token of syncloop: remove it to get a new one, or name another file`,
    );
  return text;
}
