import { useUI } from '../../page/ui-store.js';
import type { Opener } from '../../shell/registry.js';
import { useEras } from './eras-store.js';

/** The change in a URL's fragment (`#eras=pod-killer`), '' for the page as such, null where there is none of it. */
export function erasIn(href: string): string | null {
  const change = new URLSearchParams(new URL(href).hash.replace(/^#/, '')).get('eras');
  return change !== null && /^[a-z0-9-]{0,40}$/.test(change) ? change : null;
}

/** The address of the page with this in its fragment. */
export function addressOf(href: string, open: string | null): string {
  const url = new URL(href);
  url.hash = open === null ? 'eras' : `eras=${open}`;
  return url.href;
}

/** Opens the page at a change, or as it was left. */
export function openEras(open: string | null): void {
  if (open !== null) useEras.setState({ open, sought: '' });
  useUI.setState({ dialog: 'eras' });
}

/** Its address. The page opens over a simulation. */
export const erasOpener: Opener = {
  order: 40,
  find: (href) => {
    const change = erasIn(href);
    return change === null ? null : { open: () => openEras(change === '' ? null : change) };
  },
};
