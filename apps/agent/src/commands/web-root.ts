import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder of the built web app: beside this package in the repository and its archive, within it as npm packs it. */
export function webRoot(): string {
  const beside = new URL('../../../web/dist', import.meta.url);
  const within = new URL('../page', import.meta.url);
  return process.env.SYNCLOOP_WEB_ROOT ?? fileURLToPath(existsSync(within) && !existsSync(beside) ? within : beside);
}
