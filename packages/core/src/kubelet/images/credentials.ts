import { base64Decode } from '../util/base64.js';
import { parseImageName } from './parse-image-name.js';
import type { Credential } from './types.js';

/** A pull secret as the API has it; `data` is base64. */
interface Secret {
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly uid?: string };
  readonly type?: string;
  readonly data?: { readonly [key: string]: string };
}

interface AuthEntry {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

/**
 * Credentials of the given secrets that fit an image, the most specific registry first; none for an image whose registry no
 * secret names. upstream: credentialprovider/secrets MakeDockerKeyring, (*BasicDockerKeyring).Lookup
 */
export function lookupPullCredentials(image: string, pullSecrets: readonly unknown[]): Credential[] {
  const { repo } = parseImageName(image);
  const found: { registry: string; credential: Credential }[] = [];
  for (const secret of pullSecrets as readonly Secret[]) {
    const { name = '', namespace = '', uid = '' } = secret.metadata ?? {};
    for (const [registry, entry] of Object.entries(authsOf(secret))) {
      const key = registry.replace(/^https?:\/\//, '').replace(/\/(v[12]\/?)?$/, '');
      const host = key === 'index.docker.io' ? 'docker.io' : key;
      if (!matches(host, repo)) continue;
      const [user, ...rest] = entry.auth ? base64Decode(entry.auth).split(':') : [];
      const username = entry.username ?? user;
      const password = entry.password ?? (entry.auth ? rest.join(':') : undefined);
      found.push({
        registry: host,
        credential: {
          ...(username ? { username } : {}),
          ...(password ? { password } : {}),
          ...(entry.identitytoken ? { identityToken: entry.identitytoken } : {}),
          ...(entry.registrytoken ? { registryToken: entry.registrytoken } : {}),
          source: { name, namespace, uid },
        },
      });
    }
  }
  return found.sort((a, b) => b.registry.length - a.registry.length).map((f) => f.credential);
}

function authsOf(secret: Secret): { readonly [registry: string]: AuthEntry } {
  try {
    const json = secret.data?.['.dockerconfigjson'];
    if (json !== undefined)
      return (JSON.parse(base64Decode(json)) as { auths?: { [registry: string]: AuthEntry } }).auths ?? {};
    const old = secret.data?.['.dockercfg'];
    return old === undefined ? {} : (JSON.parse(base64Decode(old)) as { [registry: string]: AuthEntry });
  } catch {
    return {};
  }
}

/** `*` stands for one part of a host name; a path is a prefix. upstream: credentialprovider.URLsMatch */
function matches(registry: string, repo: string): boolean {
  const [host = '', ...path] = registry.split('/');
  const [repoHost = '', ...repoPath] = repo.split('/');
  const parts = host.split('.');
  const repoParts = repoHost.split('.');
  return (
    parts.length === repoParts.length &&
    parts.every((p, i) => p === '*' || p === repoParts[i]) &&
    path.every((p, i) => p === repoPath[i])
  );
}
