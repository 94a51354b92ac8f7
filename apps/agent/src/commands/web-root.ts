import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder of the built web app: a sibling of this package in the repository and the archive, within it from npm. */
export function webRoot(): string {
  const sibling = new URL('../../../web/dist', import.meta.url);
  const within = new URL('../page', import.meta.url);
  return process.env.SYNCLOOP_WEB_ROOT ?? fileURLToPath(existsSync(within) && !existsSync(sibling) ? within : sibling);
}
