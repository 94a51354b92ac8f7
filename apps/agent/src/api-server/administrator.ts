/** Authenticates the administrator: whoever has the token of the kubeconfig may do everything. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { UserInfo } from '@syncloop/core/apiserver';

export const administrator: UserInfo = { name: 'syncloop-admin', groups: ['system:masters', 'system:authenticated'] };

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Returns a check whether a text is this token. Digests have one length, whatever was sent. */
export function tokenCheck(token: string): (given: string) => boolean {
  const digest = sha256(token);
  return (given) => timingSafeEqual(sha256(given), digest);
}
