import { sessionReady } from '../../session/connect.js';
import type { Opener, Opening } from '../../shell/registry.js';
import { askAgain, marked, wasUnfinished } from '../long-work/stop-work.js';
import { momentIn } from '../share/opener.js';
import { keptMoment, restoreMoment } from './keep.js';

/**
 * Goes on at this tab's last position. A link that is opened for the first time has kept nothing, and is opened itself.
 */
function find(link: string): Opening | null {
  const kept = keptMoment(link);
  if (kept === null || (link !== '' && wasUnfinished(link))) return null;
  const open = (start?: boolean) => marked(kept, () => restoreMoment(kept, sessionReady, start));
  return {
    open: () => {
      if (wasUnfinished(kept)) askAgain('tab', open);
      else void open();
    },
  };
}

/** Opens a tab whose address has a link to a moment. */
export const keptWithLink: Opener = {
  order: 15,
  find: (href, first) => {
    const link = first ? momentIn(href) : null;
    return link === null ? null : find(link);
  },
};

/** Opens a tab whose address has no link. */
export const keptWithoutLink: Opener = { order: 60, find: (_, first) => (first ? find('') : null) };
