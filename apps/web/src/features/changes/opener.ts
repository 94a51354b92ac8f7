import { useUI } from '../../page/ui-store.js';
import type { Opener } from '../../shell/registry.js';
import { leadTo, seek } from './changes-store.js';

/**
 * Returns the change in a URL's fragment (`#changes=pod-killer`), '' for the page as such, null if there is none of it.
 */
export function changeIn(href: string): string | null {
  const change = new URLSearchParams(new URL(href).hash.replace(/^#/, '')).get('changes');
  return change !== null && /^[a-z0-9-]{0,40}$/.test(change) ? change : null;
}

/** The address of the page with this in its fragment. */
export function addressOf(href: string, open: string | null): string {
  const url = new URL(href);
  url.hash = open ? `changes=${open}` : 'changes';
  return url.href;
}

/** Opens the page at a change, or as it was left. */
export function openChanges(open: string | null): void {
  if (open !== null) {
    seek('');
    leadTo(open);
  }
  useUI.setState({ dialog: 'changes' });
}

/** Its address. The page opens over a simulation. */
export const changesOpener: Opener = {
  order: 40,
  find: (href) => {
    const change = changeIn(href);
    return change === null ? null : { open: () => openChanges(change === '' ? null : change) };
  },
};
