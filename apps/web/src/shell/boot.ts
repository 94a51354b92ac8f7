/** Begins a page: what it shows first, and which features start with it. */
import { embedded } from '../page/embedded.js';
import { simulate } from '../session/connect.js';
import { type Opening, registered, startAll } from './registry.js';

/** Returns what the page's address, or its tab, asks to begin with; null for nothing. */
function find(first: boolean): Opening | null {
  for (const opener of registered('openers')) {
    const opening = embedded && !opener.frames ? null : opener.find(location.href, first);
    if (opening) return opening;
  }
  return null;
}

/** Starts the features and opens what there is to open; otherwise the page begins with a simulation. */
export function boot(): void {
  const opening = find(true);
  startAll(embedded ? 'frame' : (opening?.kind ?? 'page'));
  if (!opening?.connects) simulate();
  opening?.open();
  // A link that is put into the address of the open page.
  window.addEventListener('hashchange', () => {
    const next = find(false);
    // A page that follows is not a page of a session, whatever link is put into its address.
    if (opening?.kind === 'follower' || next?.kind === 'follower') location.reload();
    else next?.open();
  });
}
