import { runCommand } from '../../commands/index.js';
import { recall } from '../../page/storage.js';
import { useSession } from '../../run/session-store.js';
import { attach, attachByLink, sessionReady } from '../../session/connect.js';
import { rememberedLink, TOKEN } from '../../session/link.js';
import type { Opener } from '../../shell/registry.js';

/** The code in a URL's fragment (`#code=…`), and the URL without it. `&present`: the page is a presenter's. */
export function takeCode(href: string): { code: string | null; clean: string; presents?: boolean } {
  const url = new URL(href);
  const params = new URLSearchParams(url.hash.replace(/^#/, ''));
  const code = params.get('code');
  if (code === null) return { code: null, clean: href };
  const presents = params.has('present');
  params.delete('code');
  params.delete('present');
  url.hash = params.toString();
  return { code, clean: url.href, ...(presents && { presents }) };
}

const connected = () => {
  const { kind, phase } = useSession.getState();
  return kind === 'agent' && phase === 'ready';
};

/** An agent's page: its link carries a code. */
export const linkOpener: Opener = {
  order: 10,
  find: (href, first) => {
    const { code, clean, presents } = takeCode(href);
    if (code === null) return null;
    // The code must not stay in the address bar, the history, or a copied link.
    history.replaceState(null, '', clean);
    // A page with a session needs no other link: the code stays valid for another page.
    if (!first && connected()) return null;
    return {
      connects: true,
      open: () => {
        void attachByLink(code);
        if (presents) void sessionReady().then((ready) => ready && runCommand('class.begin'));
      },
    };
  },
};

/** An agent's page that is loaded again: its tab has kept the token. What else the address asks for goes before. */
export const rememberedAgent: Opener = {
  order: 50,
  find: (_, first) => {
    if (!first) return null;
    const token = recall(TOKEN, 'session');
    if (token !== null) return { connects: true, open: () => void attach(token) };
    // It was loaded again before the token came.
    const link = rememberedLink();
    return link && { connects: true, open: () => void attachByLink(link.code) };
  },
};
