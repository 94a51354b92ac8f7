import { FNV32_OFFSET, fnv32aText, hex32 } from '../../base/index.js';

/** An image reference, taken apart and completed as docker's clients do. */
export interface Reference {
  /** `docker.io/library/nginx` */
  readonly name: string;
  readonly tag: string;
  readonly digest: string;
  /** With tag, or digest: `docker.io/library/nginx:latest`. */
  readonly full: string;
}

/**
 * The registry that a text names, docker.io if it names none, and what comes after it.
 * upstream: github.com/distribution/reference splitDockerDomain
 */
function splitDomain(text: string): { readonly domain: string; readonly rest: string } {
  const slash = text.indexOf('/');
  const first = slash < 0 ? '' : text.slice(0, slash);
  if (first.includes('.') || first.includes(':') || first === 'localhost') {
    const rest = text.slice(slash + 1);
    return first === 'index.docker.io' ? { domain: 'docker.io', rest } : { domain: first, rest };
  }
  return { domain: 'docker.io', rest: slash < 0 ? `library/${text}` : text };
}

/** Says why a text is not a reference, in the words of the reference library. upstream: ParseNormalizedNamed */
export function referenceProblem(text: string): string {
  // Up to the first colon, whatever it belongs to.
  const [name = ''] = splitDomain(text).rest.split(':');
  return /[A-Z]/.test(name)
    ? `invalid reference format: repository name (${name}) must be lowercase`
    : 'invalid reference format';
}

/** upstream: github.com/distribution/reference ParseDockerRef. null: no valid reference. */
export function parseReference(text: string): Reference | null {
  const m = /^([^@]+?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(text);
  if (!m) return null;
  const { domain, rest } = splitDomain(m[1] as string);
  const name = `${domain}/${rest}`;
  if (!/^[a-zA-Z0-9.:-]+(\/[a-z0-9]+([._-]+[a-z0-9]+)*)+$/.test(name)) return null;
  const digest = m[3] ?? '';
  const tag = m[2] ?? (digest ? '' : 'latest');
  return { name, tag, digest, full: digest ? `${name}@${digest}` : `${name}:${tag}` };
}

/** A digest that depends on nothing but the text: 64 hex digits. */
export function digestOf(text: string): string {
  let out = '';
  for (let round = 0; out.length < 64; round++) {
    let h = fnv32aText(text, FNV32_OFFSET ^ Math.imul(round + 1, 0x9e3779b9));
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
    out += hex32(h ^ (h >>> 15));
  }
  return out;
}
