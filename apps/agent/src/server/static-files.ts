/**
 * The built web app, read once: a request is looked up in a list, so that no path of a request ever reaches the disk.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, constants, gzip as gzipCompress } from 'node:zlib';

const brotli = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress);
const gzip = promisify<Buffer, Buffer>(gzipCompress);

/** The ways in which a file may be sent, the smallest first. Level 9 takes 0.1 s for a MB, and 11 takes 2 s. */
const compressions = {
  br: (body: Buffer) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body: Buffer) => gzip(body),
} as const;
type Encoding = keyof typeof compressions;

/** A file that is compressed and hashed when it is first asked for: most starts of a server never send one. */
class StaticFile {
  readonly type: string;
  /** True if its name has a hash of its content. */
  readonly immutable: boolean;
  private readonly compressible: boolean;
  private readonly compressed = new Map<Encoding, Promise<Buffer>>();
  private hash: string | null = null;

  constructor(
    name: string,
    readonly body: Buffer,
  ) {
    this.type = types[extname(name)] ?? 'application/octet-stream';
    this.immutable = /-[\w-]{8,64}\.\w{1,8}$/.test(name);
    this.compressible = body.length > 1024 && /\.(html|m?js|css|json|svg|map|txt)$/.test(name);
  }

  get etag(): string {
    this.hash ??= `"${createHash('sha256').update(this.body).digest('base64url').slice(0, 22)}"`;
    return this.hash;
  }

  /** The smallest encoding that an Accept-Encoding header allows; null for the file as it is. */
  encoding(accepted: string): Encoding | null {
    if (!this.compressible) return null;
    const allowed = accepted
      .split(',')
      .map((one) => one.trim())
      .filter((one) => !/;\s*q=0(\.0*)?$/.test(one))
      .map((one) => one.split(';', 1)[0]);
    return allowed.includes('br') ? 'br' : allowed.includes('gzip') ? 'gzip' : null;
  }

  bytes(encoding: Encoding | null): Promise<Buffer> {
    if (encoding === null) return Promise.resolve(this.body);
    const known = this.compressed.get(encoding);
    if (known) return known;
    const made = compressions[encoding](this.body);
    this.compressed.set(encoding, made);
    return made;
  }
}

/** Files by URL path. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

/**
 * The page's service worker would outlive this server in the browser: as long as a tab is open it asks the port for a
 * newer one, whichever server listens there by then. A page that needs its server needs no such worker.
 */
const withheld = new Set(['/service-worker.js']);

/**
 * Reads a folder with all below it; links are left out. Empty if there is no such folder. `audience`: its page is
 * marked as that of a class's audience.
 */
export async function loadStaticFiles(folder: string, audience = false): Promise<StaticFiles> {
  const files = new Map<string, StaticFile>();
  const walk = async (path: string, url: string): Promise<void> => {
    for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
      const at = join(path, entry.name);
      if (entry.isDirectory()) await walk(at, `${url}${entry.name}/`);
      else if (entry.isFile()) files.set(`${url}${entry.name}`, new StaticFile(entry.name, await readFile(at)));
    }
  };
  await walk(folder, '/');
  for (const url of withheld) files.delete(url);
  const index = files.get('/index.html');
  if (index && audience) {
    const html = index.body.toString('utf8').replace('<html', '<html data-class');
    files.set('/index.html', new StaticFile('index.html', Buffer.from(html)));
  }
  const page = files.get('/index.html');
  if (page) files.set('/', page);
  return files;
}

/**
 * The page's workers that may make WebAssembly: one unpacks xz and runs learners' code in a simulation, one unpacks xz
 * of many nodes, and one judges learners' code. The page itself may not make any.
 */
const WASM_WORKER = /^\/assets\/(?:session-worker|fleet-worker|workshop-judge-worker)-[\w-]+\.js$/;

/**
 * Headers of every answer. Scripts, workers and style sheets only of our own. Styles may be in attributes: a browser
 * writes them itself when a user types over several lines of an editor. Sockets only to the host that was asked.
 */
export function securityHeaders(host: string, path = ''): Record<string, string> {
  const policy = [
    "default-src 'self'",
    `script-src 'self'${WASM_WORKER.test(path) ? " 'wasm-unsafe-eval'" : ''}`,
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self' ws://${host}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}

/** Answers a GET or HEAD from the list. The Host must have been checked. */
export async function serveStatic(
  files: StaticFiles,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const headers = securityHeaders(request.headers.host ?? '', path);
  const text = (status: number, message: string, more: Record<string, string> = {}) => {
    response.writeHead(status, { ...headers, ...more, 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(request.method === 'HEAD' ? undefined : `${message}\n`);
  };
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    text(405, 'only GET and HEAD are answered here', { Allow: 'GET, HEAD' });
    return;
  }
  if (files.size === 0) {
    text(503, 'the web app is not built: run "npm run build" in the repository, then start syncloop again');
    return;
  }
  const file = files.get(path);
  if (!file) {
    text(404, 'there is no such file');
    return;
  }
  const encoding = file.encoding(String(request.headers['accept-encoding'] ?? ''));
  const all: Record<string, string> = {
    ...headers,
    'Content-Type': file.type,
    'Cache-Control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: file.etag,
    Vary: 'Accept-Encoding',
  };
  if (request.headers['if-none-match'] === file.etag) {
    response.writeHead(304, all).end();
    return;
  }
  const body = await file.bytes(encoding);
  response.writeHead(200, {
    ...all,
    ...(encoding && { 'Content-Encoding': encoding }),
    'Content-Length': String(body.length),
  });
  if (request.method === 'HEAD') response.end();
  else send(response, body);
}

/** Most bytes of a file that wait for a client: TLS makes a copy of its own of them, for each connection. */
const sliceBytes = 64 * 1024;

function send(response: ServerResponse, body: Buffer, from = 0): void {
  const slice = body.subarray(from, from + sliceBytes);
  const next = from + slice.length;
  if (next >= body.length) response.end(slice);
  else if (response.write(slice)) send(response, body, next);
  else response.once('drain', () => send(response, body, next));
}
