import { useUI } from '../../page/ui-store.js';
import type { Opener } from '../../shell/registry.js';

/**
 * Returns the progress in a URL's fragment (`#workshop=pleg:er`), '' for the workshop as such; null if it is about
 * something else.
 */
export function workshopIn(href: string): string | null {
  return new URLSearchParams(new URL(href).hash.replace(/^#/, '')).get('workshop');
}

/** The address of the workshop with somebody's progress in its fragment; no code is in it. */
export function addressOf(href: string, progress: string): string {
  const url = new URL(href);
  url.hash = `workshop=${progress}`;
  return url.href;
}

/** The workshop's address. It opens over a simulation. */
export const workshopOpener: Opener = {
  order: 45,
  find: (href) => {
    const progress = workshopIn(href);
    if (progress === null) return null;
    return {
      open: async () => {
        const [{ readShare }, { useWorkshop }] = await Promise.all([
          import('@syncloop/workshop/progress'),
          import('./workshop-store.js'),
        ]);
        useWorkshop.setState({ shared: readShare(progress) });
        useUI.setState({ dialog: 'workshop' });
      },
    };
  },
};
