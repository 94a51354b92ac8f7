import { workerConnection } from '../connection/worker-connection.js';
import { session } from './session.js';
import { forget, recall, remember } from './storage.js';

/** The token in a URL's fragment (`#token=…`), and the URL without it. */
export function takeToken(href: string): { token: string | null; clean: string } {
  const url = new URL(href);
  const params = new URLSearchParams(url.hash.replace(/^#/, ''));
  const token = params.get('token');
  if (token === null) return { token: null, clean: href };
  params.delete('token');
  url.hash = params.toString();
  return { token, clean: url.href };
}

/** The simulation in a worker of this page. */
export function simulate(): void {
  forget('token', 'session');
  session.connect(workerConnection, 'worker');
}

/** To the agent that served this page. What speaks to it is loaded only then. */
async function attach(token: string): Promise<void> {
  const { socketConnection } = await import('../connection/socket-connection.js');
  session.connect(() => socketConnection(token), 'agent');
}

/**
 * Chooses what to connect to: an agent when the URL carries its token (or did, before a reload), else the simulation. A page
 * without a token never asks its host for anything.
 */
export function boot(): void {
  const { token, clean } = takeToken(location.href);
  if (token !== null) {
    // The token must not stay in the address bar, the history, or a copied link.
    history.replaceState(null, '', clean);
    remember('token', token, 'session');
  }
  const held = token ?? recall('token', 'session');
  if (held) void attach(held);
  else simulate();
}
