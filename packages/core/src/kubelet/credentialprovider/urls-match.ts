/** One place of a pattern: any run of characters, any one, or one of some. */
type Token = { readonly star: true } | { readonly one: (c: string) => boolean };

/** Throws if a `[` is not closed. upstream: path/filepath Match */
function tokens(pattern: string): Token[] {
  const out: Token[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i] as string;
    if (c === '*') out.push({ star: true });
    else if (c === '?') out.push({ one: () => true });
    else if (c === '\\' && i + 1 < pattern.length) {
      const wanted = pattern[++i];
      out.push({ one: (x) => x === wanted });
    } else if (c === '[') {
      const end = pattern.indexOf(']', i + 2);
      if (end < 0) throw new Error('syntax error in pattern');
      const negated = pattern[i + 1] === '^';
      const set = pattern.slice(i + (negated ? 2 : 1), end);
      out.push({ one: (x) => inSet(set, x) !== negated });
      i = end;
    } else out.push({ one: (x) => x === c });
  }
  return out;
}

function inSet(set: string, c: string): boolean {
  for (let i = 0; i < set.length; i++) {
    const low = set[i] as string;
    const high = set[i + 1] === '-' ? set[i + 2] : undefined;
    if (high !== undefined) {
      if (c >= low && c <= high) return true;
      i += 2;
    } else if (c === low) return true;
  }
  return false;
}

/**
 * Returns true if one part of a host matches. The time is at most the product of the two lengths: patterns come from
 * secrets of the pods' owners.
 */
export function globMatches(pattern: string, text: string): boolean {
  const wanted = tokens(pattern);
  let p = 0;
  let t = 0;
  // The place to resume at when the pattern after the last star does not match.
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    const token = wanted[p];
    if (token && 'one' in token && token.one(text[t] as string)) {
      p++;
      t++;
    } else if (token && 'star' in token) {
      star = p++;
      mark = t;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else return false;
  }
  while (p < wanted.length && 'star' in (wanted[p] as Token)) p++;
  return p === wanted.length;
}

/** A registry's name without scheme: host, port and path. */
export interface SchemelessURL {
  readonly host: string;
  /** '' for none. */
  readonly port: string;
  /** With its leading slash; '' for none. */
  readonly path: string;
}

/**
 * Parses the name of a registry; throws if it is not valid. upstream: credentialprovider.ParseSchemelessURL, SplitURL
 */
export function parseSchemelessURL(text: string): SchemelessURL {
  const slash = text.indexOf('/');
  const authority = slash < 0 ? text : text.slice(0, slash);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in it
  if (/[\u0000-\u0020\u007f<>"]/.test(authority)) throw new Error(`invalid character in host name`);
  const m = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority);
  if (!m) throw new Error('invalid port after host');
  return { host: m[1] as string, port: m[2] ?? '', path: slash < 0 ? '' : text.slice(slash) };
}

/**
 * Returns true if a registry's name fits an image: as many parts of the host, each with its wildcards, the same port,
 * and a path that the image's begins with.
 * upstream: credentialprovider.URLsMatch
 */
export function urlsMatch(glob: string, target: string): boolean {
  try {
    const [a, b] = [parseSchemelessURL(glob), parseSchemelessURL(target)];
    // The brackets around an address go with the port that makes them needed.
    const partsOf = ({ host, port }: SchemelessURL) =>
      (port === '' ? host : host.replace(/^\[(.*)\]$/, '$1')).split('.');
    const [parts, targets] = [partsOf(a), partsOf(b)];
    return (
      a.port === b.port &&
      parts.length === targets.length &&
      b.path.startsWith(a.path) &&
      parts.every((part, i) => globMatches(part, targets[i] as string))
    );
  } catch {
    return false;
  }
}
