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

/** upstream: github.com/distribution/reference ParseDockerRef. null: no valid reference. */
export function parseReference(text: string): Reference | null {
  const m = /^([^@]+?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(text);
  if (!m) return null;
  let name = m[1] as string;
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  if (slash < 0 || !(first.includes('.') || first.includes(':') || first === 'localhost'))
    name = `docker.io/${slash < 0 ? 'library/' : ''}${name}`;
  else if (first === 'index.docker.io') name = `docker.io${name.slice(slash)}`;
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
