/** Traces that editors, grep, mail and web pages leave in a line that somebody copied. */

/** Prefixes of a framing or of a record of klog. They are removed only if one of these follows. */
export const PREFIXES: readonly RegExp[] = [
  /^[ \t]+/,
  // A quote of Markdown or of mail, and the bullets of old versions of `minikube logs`.
  /^(?:> ?)+/,
  /^[*+-] /,
  // Line numbers: `4582: `, `12|`, `12→`, `12.`, `12  `.
  /^\d{1,9}[ \t]*[:|\u2502\u2192.)-]?[ \t]*/,
  // grep and its context: `kubelet.log:12:`, `syslog:`, `kubelet.log-12-`.
  /^[^\s:"{]{1,200}:(?:\d{1,9}:){0,2}[ \t]*/,
  /^[^\s"{]{1,200}-\d{1,9}-[ \t]*/,
  // docker compose, kubetail, kubectl logs --prefix.
  /^[\w./-]{1,100} +\| /,
  /^\[[\w./-]{1,200}\] /,
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const ANSI = /\u001b(?:\[[0-9;?]*[A-Za-z]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][A-Z0-9])|\u001b$/g;
/** Without the sequences that colour a terminal. */
export const withoutColours = (line: string): string => (line.includes('\u001b') ? line.replace(ANSI, '') : line);

const ENTITY = /&(quot|apos|lt|gt|amp|nbsp|#\d{1,6}|#x[0-9a-fA-F]{1,5});/g;
const NAMED: { readonly [name: string]: string } = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&', nbsp: ' ' };
/** Entities of HTML, which no program of a node writes around its values. */
export const withoutEntities = (line: string): string =>
  line.includes('&')
    ? line.replace(ENTITY, (all, name: string) => {
        if (!name.startsWith('#')) return NAMED[name] ?? all;
        const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
        return code >= 32 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
      })
    : line;

/** A fence of Markdown, which contains nothing. */
export const isFence = (line: string): boolean => /^\s*(?:```|~~~)\s*[\w-]*\s*$/.test(line);
