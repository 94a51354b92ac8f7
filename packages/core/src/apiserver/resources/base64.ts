import { base64Decode, base64Encode } from '../../kubelet/util/base64.js';

/** As JWTs have it: without padding, safe in URLs. */
export const base64url = (text: string): string =>
  base64Encode(text).replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');

/** Text of a base64url text; null where it is none. */
export const fromBase64url = (text: string): string | null =>
  /^[A-Za-z0-9_-]*=*$/.test(text) ? base64Decode(text.replaceAll('-', '+').replaceAll('_', '/')) : null;

/** Bytes that a base64 text stands for. */
export const base64Length = (text: string): number => {
  const bare = text.replace(/\s/g, '');
  return Math.floor((bare.length * 3) / 4) - (bare.endsWith('==') ? 2 : bare.endsWith('=') ? 1 : 0);
};
