import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing; a folder that is there is left as it is. Rejects with Node's error.
 * Node's own `recursive` never comes back where a file system refuses a folder with ENOENT, as /proc does.
 *
 * upstream: os.MkdirAll
 */
export async function mkdirAll(path: string, mode: number): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) await mkdirAll(parent, mode);
  try {
    await mkdir(path, mode);
  } catch (err) {
    // Somebody else may have made it meanwhile.
    const now = await stat(path).catch(() => null);
    if (!now?.isDirectory()) throw err;
  }
}
