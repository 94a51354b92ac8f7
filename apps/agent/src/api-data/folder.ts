/** The folder of an API server's data: who may read it, who has it, and the keys that lie in it. */
import { chmod, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../base/errors.js';
import { Held, lockFile } from '../base/lock-file.js';
import { mkdirAll } from '../host/mkdir-all.js';
import { databaseFile } from './database.js';
import { syncFolder } from './disk.js';

const lockName = 'lock';
const choose = 'choose another with --serve-api-data';

/** A text that a server makes once and keeps, such as a key. */
export interface Keeper {
  /** What was kept by that name; the first time, what `make` returns. Rejects with a SetupError. */
  keep(name: string, make: () => string | Promise<string>): Promise<string>;
}

/** Keeps nothing: every server makes its own. */
export const inMemory: Keeper = { keep: async (_name, make) => make() };

/** A folder that this process has to itself. */
export class DataFolder implements Keeper {
  private constructor(
    readonly path: string,
    readonly release: () => Promise<void>,
  ) {}

  /** Makes it, for its owner only, where it is not there. Rejects with a SetupError. */
  static async open(path: string): Promise<DataFolder> {
    const cannot = (what: string) => (err: Error) => {
      throw new SetupError(`cannot ${what} ${path} for the data of the API server: ${err.message}; ${choose}`);
    };
    await mkdirAll(path, 0o700).catch(cannot('make'));
    const there = await readdir(path).catch(cannot('read'));
    const ours = there.length === 0 || there.some((name) => name.startsWith(databaseFile) || name.startsWith(lockName));
    if (!ours)
      throw new SetupError(
        `${path} has other files and no data of an API server: ${there.slice(0, 3).join(', ')}; give it a folder of its own with --serve-api-data`,
      );
    // It may have been copied, or made beforehand, with other rights.
    await chmod(path, 0o700).catch(cannot('keep others out of'));
    for (const name of there) await chmod(join(path, name), 0o600).catch(cannot('keep others out of'));
    try {
      // A copy of the folder is another one, whoever has the first.
      const { dev, ino } = await stat(path);
      return new DataFolder(path, await lockFile(join(path, lockName), `${dev}:${ino}`));
    } catch (err) {
      if (!(err instanceof Held)) return cannot('lock')(err as Error);
      throw new SetupError(
        `another syncloop (pid ${err.pid}) has the data of the API server in ${path}: stop it, or ${choose}`,
      );
    }
  }

  async keep(name: string, make: () => string | Promise<string>): Promise<string> {
    const file = join(this.path, name);
    try {
      const text = await readFile(file, 'utf8');
      if (text !== '') return text;
      throw new SetupError(`${file} is empty: put the one of a copy of the folder in its place, or remove it`);
    } catch (err) {
      if (err instanceof SetupError) throw err;
      if ((err as NodeJS.ErrnoException).code !== 'ENOENT')
        throw new SetupError(`cannot read ${file}: ${(err as Error).message}`);
    }
    const text = await make();
    const half = `${file}.new`;
    try {
      const to = await open(half, 'w', 0o600);
      try {
        await to.writeFile(text);
        await to.sync();
      } finally {
        await to.close();
      }
      await rename(half, file);
      syncFolder(file);
    } catch (err) {
      await rm(half, { force: true }).catch(() => {});
      throw new SetupError(`cannot write ${file}: ${(err as Error).message}`);
    }
    return text;
  }
}
