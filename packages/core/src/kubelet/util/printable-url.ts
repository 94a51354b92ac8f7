/**
 * A URL, or what should have been one, as it may be printed: names and passwords before the host are left out, and so
 * is the query, where tokens stand. Errs on the side of less.
 */
export const printableURL = (text: string): string =>
  text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@').replace(/[?#].*$/s, '?***');
