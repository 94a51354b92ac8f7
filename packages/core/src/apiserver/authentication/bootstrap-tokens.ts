import { base64Decode } from '../../base/index.js';
import { keyOf, type Store } from '../storage/store.js';
import type { UserInfo } from '../types.js';

const tokenForm = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupForm = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const everybody = 'system:bootstrappers';

/** Compares every character, so that the time says nothing of where two texts differ. */
function sameSecret(a: string, b: string): boolean {
  let differs = a.length ^ b.length;
  for (let i = 0; i < b.length; i++) differs |= (a.charCodeAt(i) || 0) ^ b.charCodeAt(i);
  return differs === 0;
}

/**
 * Returns the user of a bootstrap token, which a Secret of kube-system has. Null for any other text.
 * upstream: plugin/pkg/auth/authenticator/token/bootstrap
 */
export function userOfBootstrapToken(store: Store, token: string, nowMillis: number): UserInfo | null {
  const [, id, secret] = tokenForm.exec(token) ?? [];
  if (id === undefined || secret === undefined) return null;
  const found = store.get('secrets', keyOf('kube-system', `bootstrap-token-${id}`));
  if (!found || found.metadata.deletionTimestamp || found.type !== 'bootstrap.kubernetes.io/token') return null;
  const data = (found.data ?? {}) as Readonly<Record<string, string>>;
  const text = (key: string) => (Object.hasOwn(data, key) ? base64Decode(data[key]) : '');
  if (!sameSecret(text('token-secret'), secret) || text('token-id') !== id) return null;
  const expiration = text('expiration');
  // A time that cannot be read is one that is over.
  if (expiration !== '' && !(Date.parse(expiration) > nowMillis)) return null;
  if (text('usage-bootstrap-authentication') !== 'true') return null;
  const extra = text('auth-extra-groups');
  const groups = extra === '' ? [] : extra.split(',');
  if (!groups.every((g) => groupForm.test(g))) return null;
  return {
    name: `system:bootstrap:${id}`,
    groups: [...[...new Set([everybody, ...groups])].sort(), 'system:authenticated'],
  };
}
