/** The folder of an API server's data: who may read it, and which process has it. */
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../base/errors.js';
import { LockHeldError, lockFile } from '../base/lock-file.js';
import { mkdirAll } from '../host/mkdir-all.js';
import { acknowledgedFile } from './acknowledged.js';
import { databaseFile } from './format.js';

export const lockName = 'lock';
const choose = 'choose another with --serve-api-data';

/** A folder that this process has to itself. */
export class DataFolder {
  private constructor(
    readonly path: string,
    readonly release: () => Promise<void>,
  ) {}

  /** Makes it, for its owner only, if it is not there. Rejects with a SetupError. */
  static async open(path: string): Promise<DataFolder> {
    const cannot = (what: string) => (err: Error) => {
      throw new SetupError(`cannot ${what} ${path} for the data of the API server: ${err.message}; ${choose}`);
    };
    await mkdirAll(path, 0o700).catch(cannot('make'));
    const there = await readdir(path).catch(cannot('read'));
    const ours =
      there.length === 0 ||
      there.some((name) => [databaseFile, acknowledgedFile, lockName].some((own) => name.startsWith(own)));
    if (!ours)
      throw new SetupError(
        `${path} has other files and no data of an API server: ${there.slice(0, 3).join(', ')}; give it a folder of its own with --serve-api-data`,
      );
    // It may have been copied, or made beforehand, with other rights.
    await chmod(path, 0o700).catch(cannot('keep others out of'));
    for (const name of there) await chmod(join(path, name), 0o600).catch(cannot('keep others out of'));
    try {
      // A copy of the folder is another one, whichever process has the first.
      const { dev, ino } = await stat(path);
      return new DataFolder(path, await lockFile(join(path, lockName), `${dev}:${ino}`));
    } catch (err) {
      if (!(err instanceof LockHeldError)) return cannot('lock')(err as Error);
      throw new SetupError(
        `another syncloop (pid ${err.pid}) has the data of the API server in ${path}: stop it, or ${choose}`,
      );
    }
  }
}
