/**
 * A tiny static server for the built page, under a sub-folder as any file server might have it, with the agent's
 * policy.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The built page; SYNCLOOP_WEB_ROOT, the agent's variable, names another build than the package's own. With a slash at
 * the end.
 */
export const DIST = process.env.SYNCLOOP_WEB_ROOT
  ? `${process.env.SYNCLOOP_WEB_ROOT.replace(/\/$/, '')}/`
  : fileURLToPath(new URL('../dist/', import.meta.url));
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The workers whose scripts alone may make WebAssembly, as with the agent. */
const WORKER = /^assets\/(?:session-worker|fleet-worker|workshop-judge-worker)-[\w-]+\.js$/;
const policyOf = (path, policy) =>
  WORKER.test(path) ? policy.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'") : policy;

/**
 * Resolves with the page's URL and a function that ends the server. `framed`: as a static host that lets others frame
 * it; `dist`: another build.
 */
export async function serve(folder = '/tools/syncloop/', { framed = false, dist = DIST } = {}) {
  const policy = framed ? POLICY.replace(/; frame-ancestors.*/, '') : POLICY;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const inside = pathname.startsWith(folder) ? normalize(pathname.slice(folder.length) || 'index.html') : '..';
    try {
      if (inside.startsWith('..')) throw new Error('outside');
      const body = await readFile(join(dist, inside));
      response.writeHead(200, {
        'Content-Type': TYPES[extname(inside)] ?? 'application/octet-stream',
        'Content-Security-Policy': policyOf(inside, policy),
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    url: `http://127.0.0.1:${server.address().port}${folder}`,
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}
