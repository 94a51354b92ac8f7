import { randomBytes } from 'node:crypto';

/** A new random token of 256 bits, in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}
