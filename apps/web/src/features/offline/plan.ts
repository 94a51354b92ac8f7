/**
 * Decides what the service worker answers, and from where. Pure, and of the worker alone: it is one file without
 * imports.
 */

/** A build: paths of its files below the page's folder. */
export interface Build {
  readonly version: string;
  readonly files: readonly string[];
}

const PREFIX = 'syncloop';

/** Several builds may live on one origin, each in its folder. */
const prefixOf = (scope: string): string => `${PREFIX} ${new URL(scope).pathname} `;
export const cacheName = (scope: string, version: string): string => prefixOf(scope) + version;

/** The caches of this folder's builds among all of the origin's, in their order. */
export function ownCaches(names: readonly string[], scope: string): readonly string[] {
  const prefix = prefixOf(scope);
  return names.filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes(' '));
}

/**
 * Caches that can go once `current` is active, of names in the order they were made. The build before it stays: a tab
 * that was opened with it may still ask for a part that it has not loaded.
 */
export function outdated(names: readonly string[], scope: string, current: string): readonly string[] {
  const others = ownCaches(names, scope).filter((name) => name !== current);
  return others.slice(0, -1);
}

export interface PageRequest {
  readonly method: string;
  readonly mode: string;
  readonly url: string;
}
/**
 * `page`: from the network, and only without it from the cache. `file`: from the cache. Null: not ours, the browser
 * goes on as without a worker.
 */
export type Answer = { readonly from: 'page' | 'file'; readonly file: string } | null;

/** Only files of the build are answered: never a session's endpoints, sockets, or other files of the host. */
export function answerTo(asked: PageRequest, scope: string, files: ReadonlySet<string>): Answer {
  if (asked.method !== 'GET') return null;
  const url = new URL(asked.url);
  const base = new URL(scope);
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname)) return null;
  let file: string;
  try {
    file = decodeURIComponent(url.pathname.slice(base.pathname.length)) || 'index.html';
  } catch {
    return null;
  }
  if (file === 'index.html') return { from: 'page', file };
  // A document of its own, opened by its address, is as it is on the host.
  return asked.mode !== 'navigate' && files.has(file) ? { from: 'file', file } : null;
}

/** Returns true if the name has a hash of the content, so that a cached file is always right. */
export const isHashed = (file: string): boolean => /^assets\/.+-[\w-]{8}\.\w+$/.test(file);

/** Returns true for the host's statuses that mean that it cannot give a page just now: the cached one serves better. */
export const isDown = (status: number): boolean => status === 502 || status === 503 || status === 504;
