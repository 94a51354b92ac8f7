import { base64Decode } from '../../base/index.js';
import type { Go } from '../../kernel/index.js';
import type { Credential } from '../images/types.js';
import { parseSchemelessURL, urlsMatch } from './urls-match.js';

/** The entry of one registry in a configuration. upstream: credentialprovider.DockerConfigEntry */
export interface DockerConfigEntry {
  readonly username: string;
  readonly password: string;
}
/** By registry. upstream: credentialprovider.DockerConfig */
export type DockerConfig = ReadonlyMap<string, DockerConfigEntry>;

/** Credentials for images. upstream: credentialprovider.DockerKeyring */
export interface DockerKeyring {
  /** The matching credentials, best first. `image` is without tag and with its registry. */
  lookup(image: string): Go<readonly Credential[]>;
}

const text = (v: unknown): string => (typeof v === 'string' ? v : '');

/**
 * Throws if it is no `user:password` in base64. Nothing of it is in the error.
 * upstream: decodeDockerConfigFieldAuth
 */
function decodeAuth(field: string): DockerConfigEntry {
  const given = field.trim();
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(given)) throw new Error('illegal base64 data in auth field');
  const decoded = base64Decode(given);
  const colon = decoded.indexOf(':');
  if (colon < 0) throw new Error('unable to parse auth field, must be formatted as base64(username:password)');
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

const record = (value: unknown): Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('it is not a map of registries');
  return value as Readonly<Record<string, unknown>>;
};

/** Entries by registry. Throws if one cannot be read; `auth` wins over username and password. */
export function dockerConfigOf(auths: unknown): DockerConfig {
  const out = new Map<string, DockerConfigEntry>();
  if (auths === undefined || auths === null) return out;
  for (const [registry, value] of Object.entries(record(auths))) {
    const entry = record(value);
    out.set(
      registry,
      text(entry.auth) !== ''
        ? decodeAuth(text(entry.auth))
        : { username: text(entry.username), password: text(entry.password) },
    );
  }
  return out;
}

/** JSON whose errors do not quote it, because it holds passwords. */
export function parseSecretJSON(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error('it is not valid JSON');
  }
}

/** The credentials of a `config.json`, which has its registries under `auths`. */
export const parseDockerConfigJSON = (json: string): DockerConfig =>
  dockerConfigOf(record(parseSecretJSON(json)).auths);
/** Reads the credentials of an old `.dockercfg`. */
export const parseDockercfg = (json: string): DockerConfig => dockerConfigOf(parseSecretJSON(json));

/** upstream: defaultRegistryKey */
const defaultRegistryKey = 'index.docker.io';

/** upstream: isDefaultRegistryMatch */
function isDefaultRegistryMatch(image: string): boolean {
  const [first = '', ...rest] = image.split('/');
  if (first === '') return false;
  if (rest.length === 0 || first === 'docker.io' || first === 'index.docker.io') return true;
  return !/[.:]/.test(first);
}

/** upstream: credentialprovider.BasicDockerKeyring */
export class BasicDockerKeyring implements DockerKeyring {
  private readonly creds = new Map<string, Credential[]>();

  /**
   * Adds a configuration. `source`: the secret that it comes from. Registries whose name cannot be read are left out.
   */
  add(config: DockerConfig, source?: Credential['source']): void {
    for (const [location, { username, password }] of config) {
      let key: string;
      try {
        key = keyOf(location);
      } catch {
        continue;
      }
      const credential: Credential = {
        ...(username && { username }),
        ...(password && { password }),
        ...(source && { source }),
      };
      const list = this.creds.get(key);
      if (list) list.push(credential);
      else this.creds.set(key, [credential]);
    }
  }

  /** Returns the credentials for an image, those for more of its path first: the names are in reverse order. */
  *lookup(image: string): Go<readonly Credential[]> {
    const fits = [...this.creds.keys()]
      .sort()
      .reverse()
      .filter((key) => urlsMatch(key, image));
    if (fits.length > 0) return fits.flatMap((key) => this.creds.get(key) ?? []);
    return isDefaultRegistryMatch(image) ? (this.creds.get(defaultRegistryKey) ?? []) : [];
  }
}

/** The name of a registry without scheme and protocol version. Throws if it is not a valid name. */
function keyOf(location: string): string {
  const { host, port, path } = parseSchemelessURL(location.replace(/^https?:\/\//, ''));
  const effective = /^\/v[12]\//.test(path) ? path.slice(3) : path;
  return `${host}${port === '' ? '' : `:${port}`}${effective === '/' ? '' : effective}`;
}

/** upstream: credentialprovider.UnionDockerKeyring */
export const unionKeyring = (keyrings: readonly DockerKeyring[]): DockerKeyring => ({
  *lookup(image) {
    const out: Credential[] = [];
    for (const keyring of keyrings) out.push(...(yield* keyring.lookup(image)));
    return out;
  },
});

/** A pull secret as in the API; `data` is base64. */
interface PullSecret {
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly uid?: string };
  readonly type?: string;
  readonly data?: { readonly [key: string]: string };
}

/**
 * Builds a keyring with the pod's secrets before the node's. Throws if a secret of the right type cannot be read.
 * upstream: credentialprovider/secrets MakeDockerKeyring
 */
export function makeDockerKeyring(pullSecrets: readonly unknown[], node: DockerKeyring): DockerKeyring {
  const own = new BasicDockerKeyring();
  let any = false;
  for (const secret of pullSecrets as readonly PullSecret[]) {
    const { name = '', namespace = '', uid = '' } = secret.metadata ?? {};
    const data = (key: string): string => {
      const value = Object.hasOwn(secret.data ?? {}, key) ? secret.data?.[key] : undefined;
      return base64Decode(value);
    };
    const json = secret.type === 'kubernetes.io/dockerconfigjson' ? data('.dockerconfigjson') : '';
    const old = secret.type === 'kubernetes.io/dockercfg' ? data('.dockercfg') : '';
    if (json === '' && old === '') continue;
    try {
      own.add(json === '' ? parseDockercfg(old) : parseDockerConfigJSON(json), { name, namespace, uid });
    } catch (err) {
      throw new Error(`pull secret ${namespace}/${name} cannot be read: ${(err as Error).message}`);
    }
    any = true;
  }
  return any ? unionKeyring([own, node]) : node;
}
