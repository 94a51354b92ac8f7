import { fileURLToPath } from 'node:url';

/** Folder of the built web app, beside this package. */
export function webRoot(): string {
  return process.env.SYNCLOOP_WEB_ROOT ?? fileURLToPath(new URL('../../../web/dist', import.meta.url));
}
