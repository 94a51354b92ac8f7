import type { Opener } from '../../shell/registry.js';

/** Finds links to a moment of a file; the code that reads them is loaded for one. */
export const fileLinkOpener: Opener = {
  order: 25,
  find: (href) =>
    new URLSearchParams(new URL(href).hash.replace(/^#/, '')).has('file')
      ? { open: () => void import('./file-link.js').then(({ followLink }) => followLink(href)) }
      : null,
};
