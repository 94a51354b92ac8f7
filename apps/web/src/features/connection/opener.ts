import { recall } from '../../page/storage.js';
import { attach, TOKEN } from '../../session/connect.js';
import type { Opener } from '../../shell/registry.js';

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

/** An agent's page: its URL carries a token. */
export const tokenOpener: Opener = {
  order: 10,
  find: (href, first) => {
    if (!first) return null;
    const { token, clean } = takeToken(href);
    if (token === null) return null;
    // The token must not stay in the address bar, the history, or a copied link.
    history.replaceState(null, '', clean);
    return { connects: true, open: () => void attach(token) };
  },
};

/** An agent's page that is loaded again: its tab has kept the token. What else the address asks for goes before. */
export const rememberedAgent: Opener = {
  order: 50,
  find: (_, first) => {
    const token = first ? recall(TOKEN, 'session') : null;
    return token === null ? null : { connects: true, open: () => void attach(token) };
  },
};
