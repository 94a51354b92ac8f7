/** The page's end of its service worker: registers it, and notices when a new version waits. */
import { t } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { useOffline } from './offline-store.js';

/** Looks for a new version this often while the page stays open (ms); a load looks by itself. */
const LOOK_AGAIN = 60 * 60 * 1000;
const ANSWER_MILLIS = 2_000;
const WORKER = './service-worker.js';

export interface Circumstances {
  /** The browser has service workers, and the page came over https or from this machine. */
  readonly possible: boolean;
  /** True for a build: in development a cache would only be in the way. */
  readonly built: boolean;
  /** The page's query. */
  readonly query: string;
}

/**
 * Returns true if the page is kept for when there is no network. It is not if it is part of another page, nor in tests
 * that do not ask for it.
 */
export function keepsOffline({ possible, built, query }: Circumstances): boolean {
  const asked = new URLSearchParams(query);
  if (!possible || !built || asked.get('embed') === '1') return false;
  if (asked.get('offline') === '0') return false;
  return asked.get('testing') !== '1' || asked.get('offline') === '1';
}

/** Resolves with the files of a worker's build; [] if it does not answer. */
function filesOf(worker: ServiceWorker): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const timer = setTimeout(() => resolve([]), ANSWER_MILLIS);
    port1.onmessage = (event: MessageEvent<readonly string[]>) => {
      clearTimeout(timer);
      resolve(event.data);
    };
    worker.postMessage('files', [port2]);
  });
}

/** The script that this page began with. */
const entry = (): string => document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? '';

/**
 * Takes or offers a version that waits. This page may be of it already, as the page comes from the network first; then
 * it is simply taken.
 */
async function waiting(worker: ServiceWorker): Promise<void> {
  const own = entry();
  const files = await filesOf(worker);
  if (files.some((file) => new URL(file, document.baseURI).href === own)) {
    worker.postMessage('take');
    return;
  }
  const take = () => {
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
    worker.postMessage('take');
  };
  useOffline.setState({ take });
  notify(t('offline.ready'), false, { label: t('offline.reload'), run: take });
}

/**
 * Removes the worker of this folder if the host has none any more, as an agent has none: a worker that was installed at
 * this address before must not answer for it. Without a network nothing is known, and it stays.
 */
async function retire(): Promise<void> {
  const { status } = await fetch(WORKER, { cache: 'no-store' });
  if (status !== 404) return;
  await (await navigator.serviceWorker.getRegistration())?.unregister();
}

async function register(): Promise<void> {
  const { serviceWorker } = navigator;
  const registration = await serviceWorker.register(WORKER, { updateViaCache: 'none' });
  // If no service worker is active, the first one is installed: nothing is new.
  if (registration.waiting && registration.active) void waiting(registration.waiting);
  registration.addEventListener('updatefound', () => {
    const worker = registration.installing;
    worker?.addEventListener('statechange', () => {
      if (worker.state === 'installed' && registration.active && registration.active !== worker) void waiting(worker);
    });
  });
  setInterval(() => {
    // No network now: the next look may have one.
    if (document.visibilityState === 'visible') registration.update().catch(() => {});
  }, LOOK_AGAIN);
}

/** Registers the worker once the page has loaded what it needs itself. */
export function startOffline(): void {
  const { isSecureContext, location: here } = window;
  const possible = 'serviceWorker' in navigator && isSecureContext && window.top === window;
  if (!keepsOffline({ possible, built: import.meta.env.PROD, query: here.search })) return;
  const begin = () => {
    // Refused, as in some private windows, or the build's folder has no worker: the page works as without one.
    register()
      .catch(retire)
      .catch(() => {});
  };
  if (document.readyState === 'complete') begin();
  else window.addEventListener('load', begin, { once: true });
}
