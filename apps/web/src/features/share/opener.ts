import { simulationReady } from '../../session/connect.js';
import type { Opener } from '../../shell/registry.js';
import { askAgain, marked, wasUnfinished } from '../long-work/stop-work.js';

/** The moment in a URL's fragment (`#run=…`), undecoded; null if there is none. */
export function momentIn(href: string): string | null {
  return new URLSearchParams(new URL(href).hash.replace(/^#/, '')).get('run');
}

/**
 * Goes to the moment of a link, or to the beginning of its run. Problems are shown to the user, and the session stays
 * as it is.
 */
export async function openLink(moment: string, start = false): Promise<void> {
  await marked(moment, async () => {
    const { openText } = await import('./share-open.js');
    await openText(moment, simulationReady, start);
  });
}

export const momentOpener: Opener = {
  order: 20,
  frames: true,
  find: (href, first) => {
    const moment = momentIn(href);
    if (moment === null) return null;
    const open = (start?: boolean) => openLink(moment, start);
    return {
      open: () => {
        if (first && wasUnfinished(moment)) askAgain('link', open);
        else void open();
      },
    };
  },
};
