/**
 * The page without a network: keeps the files of one build. The page itself comes from the network when that answers
 * soon, so that an old page is not used with a newer agent; its parts, whose names contain their hashes, come from the
 * cache. A new build is taken when no tab uses the old one any more, or when the user asks for it.
 */
import { answerTo, type Build, cacheName, isDown, isHashed, outdated, ownCaches } from './plan.js';

declare const self: ServiceWorkerGlobalScope;
/** Put in by the build. */
declare const __SYNCLOOP_FILES__: Build;

/** The page waits no longer than this for the network (ms). */
const PATIENCE = 2_500;
/** Files fetched at once. */
const AT_ONCE = 6;

const { version, files } = __SYNCLOOP_FILES__;
const known: ReadonlySet<string> = new Set(files);
const { scope } = self.registration;
const current = cacheName(scope, version);
const urlOf = (file: string): string => new URL(file, scope).href;

/** Returns a file from the cache of this build, else of the one before. */
async function cached(file: string): Promise<Response | undefined> {
  const own = ownCaches(await caches.keys(), scope);
  for (const name of [current, ...own.filter((n) => n !== current).reverse()]) {
    if (!own.includes(name)) continue;
    const found = await (await caches.open(name)).match(urlOf(file));
    if (found) return found;
  }
  return undefined;
}

async function get(file: string): Promise<Response> {
  const before = isHashed(file) ? await cached(file) : undefined;
  if (before) return before;
  const response = await fetch(urlOf(file), { cache: isHashed(file) ? 'default' : 'no-cache' });
  if (!response.ok) throw new Error(`${file} could not be fetched: ${response.status}`);
  // A browser refuses a redirected answer for a page.
  return response.redirected
    ? new Response(await response.blob(), { headers: response.headers, status: response.status })
    : response;
}

async function install(): Promise<void> {
  const cache = await caches.open(current);
  const queue = [...files];
  const take = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift())
      await cache.put(urlOf(file), await get(file));
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, take));
  } catch (error) {
    queue.length = 0;
    await caches.delete(current);
    throw error;
  }
}

async function activate(): Promise<void> {
  for (const name of outdated(await caches.keys(), scope, current)) await caches.delete(name);
  await self.clients.claim();
}

async function page(request: Request): Promise<Response> {
  const own = cached('index.html');
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), PATIENCE));
  const network = fetch(request);
  try {
    const first = await Promise.race([network, late]);
    if (first && !isDown(first.status)) return first;
    return (await own) ?? first ?? (await network);
  } catch (error) {
    const kept = await own;
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));
self.addEventListener('fetch', (event) => {
  const answer = answerTo(event.request, scope, known);
  if (!answer) return;
  event.respondWith(
    answer.from === 'page' ? page(event.request) : cached(answer.file).then((found) => found ?? fetch(event.request)),
  );
});
self.addEventListener('message', (event) => {
  if (event.data === 'take') event.waitUntil(self.skipWaiting());
  // The page asks whether it is of this build.
  if (event.data === 'files') event.ports[0]?.postMessage(files);
});
