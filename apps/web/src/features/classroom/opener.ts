import type { Opener } from '../../shell/registry.js';

/** The audience's token in a URL's fragment (`#class=…`). It stays there, to be passed on. */
export const classIn = (href: string): string | null =>
  new URLSearchParams(new URL(href).hash.replace(/^#/, '')).get('class');

/** A page that opens the link of a class follows its presenter, and does nothing else. */
export const classOpener: Opener = {
  order: 0,
  find: (href, first) => {
    const token = classIn(href);
    if (token === null) {
      // The server of a class marks its page, so that whoever types its address is asked for the code.
      const marked = document.documentElement.dataset.class !== undefined;
      if (!first || !marked || new URL(href).hash !== '') return null;
      return {
        connects: true,
        kind: 'follower',
        open: () => void import('./follower/follower.js').then(({ askForCode }) => askForCode()),
      };
    }
    return {
      connects: true,
      kind: 'follower',
      open: () => void import('./follower/follower.js').then(({ follow }) => follow(token)),
    };
  },
};
