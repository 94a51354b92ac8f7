import { parseDuration } from '../../base/index.js';
import { type Chan, type Go, type Kernel, Minute, makeChan, receive } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { Credential } from '../images/types.js';
import { Logger } from '../klog.js';
import {
  BasicDockerKeyring,
  type DockerConfig,
  type DockerConfigEntry,
  type DockerKeyring,
  parseSecretJSON,
} from './keyring.js';
import type { CredentialProvider } from './plugin-config.js';
import { urlsMatch } from './urls-match.js';

/**
 * Runs a plug-in: its program gets the request on its standard input; what it writes is returned. Throws when it fails
 * or takes longer than `timeout`.
 */
export type ExecPlugin = (provider: CredentialProvider, request: string, image: string, timeout: Micros) => Go<string>;

/** upstream: within ExecPlugin; globalCacheKey */
const pluginTimeout = Minute;
const globalCacheKey = 'global';

interface Flight {
  readonly done: Chan<null>;
  config: DockerConfig;
}

const nothing: DockerConfig = new Map();

/** One plug-in with a cache of its answers. upstream: pkg/credentialprovider/plugin pluginProvider */
export class PluginProvider {
  private readonly cache = new Map<string, { readonly config: DockerConfig; readonly expiresAt: Micros }>();
  private readonly flights = new Map<string, Flight>();
  private readonly log: Logger;
  constructor(
    private readonly kernel: Kernel,
    private readonly provider: CredentialProvider,
    private readonly exec: ExecPlugin,
  ) {
    this.log = new Logger(kernel, 'plugin.go');
  }

  /**
   * Credentials for an image; none if the image matches no pattern or the plug-in fails.
   * upstream: (*pluginProvider).provide
   */
  *provide(image: string): Go<DockerConfig> {
    if (!this.provider.matchImages.some((pattern) => urlsMatch(pattern, image))) return nothing;
    const cached = this.cached(image);
    if (cached) return cached;
    // Requests that come meanwhile get the same answer.
    const under = this.flights.get(image);
    if (under) {
      yield* receive(under.done);
      return under.config;
    }
    const flight: Flight = {
      done: makeChan<null>(this.kernel, `credential plugin ${this.provider.name}`, 0),
      config: nothing,
    };
    this.flights.set(image, flight);
    try {
      flight.config = yield* this.ask(image);
    } catch (err) {
      this.log.error(err, 'Failed getting credential from external registry credential provider');
    } finally {
      this.flights.delete(image);
      flight.done.close();
    }
    return flight.config;
  }

  private cached(image: string): DockerConfig | null {
    const now = this.kernel.now();
    for (const [key, { expiresAt }] of this.cache) if (now > expiresAt) this.cache.delete(key);
    for (const key of [image, registryOf(image), globalCacheKey]) {
      const entry = this.cache.get(key);
      if (entry) return entry.config;
    }
    return null;
  }

  /** Throws without a word of what the plug-in wrote. upstream: (*execPlugin).ExecPlugin */
  private *ask(image: string): Go<DockerConfig> {
    const { apiVersion, name, defaultCacheDuration } = this.provider;
    this.log.info(5, `Getting image ${image} credentials from external exec plugin ${name}`);
    const request = `${JSON.stringify({ kind: 'CredentialProviderRequest', apiVersion, image })}\n`;
    const output = yield* this.exec(this.provider, request, image, pluginTimeout);
    const response = readResponse(output, apiVersion);
    const key = { Image: image, Registry: registryOf(image), Global: globalCacheKey }[response.cacheKeyType];
    const duration = response.cacheDuration ?? defaultCacheDuration;
    if (duration > 0) this.cache.set(key, { config: response.config, expiresAt: this.kernel.now() + duration });
    return response.config;
  }
}

const registryOf = (image: string): string => image.split('/')[0] as string;

interface Response {
  readonly cacheKeyType: 'Image' | 'Registry' | 'Global';
  /** Null for the configured duration. */
  readonly cacheDuration: Micros | null;
  readonly config: DockerConfig;
}

/** upstream: decodeResponse and what is checked around it */
function readResponse(output: string, apiVersion: string): Response {
  const failed = () => new Error('error decoding credential provider plugin response from stdout');
  let value: unknown;
  try {
    value = parseSecretJSON(output);
  } catch {
    throw failed();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw failed();
  const r = value as Readonly<Record<string, unknown>>;
  const version = typeof r.apiVersion === 'string' ? r.apiVersion : '';
  if (version !== apiVersion)
    throw new Error(
      `apiVersion from credential plugin response did not match expected apiVersion:${apiVersion}, actual apiVersion:${version}`,
    );
  if (r.kind !== 'CredentialProviderResponse') throw failed();
  const { cacheKeyType } = r;
  if (cacheKeyType !== 'Image' && cacheKeyType !== 'Registry' && cacheKeyType !== 'Global')
    throw new Error(
      `credential provider plugin did not return a valid cacheKeyType: ${JSON.stringify(typeof cacheKeyType === 'string' ? cacheKeyType : '')}`,
    );
  let cacheDuration: Micros | null = null;
  if (r.cacheDuration !== undefined && r.cacheDuration !== null) {
    cacheDuration = typeof r.cacheDuration === 'string' ? parseDuration(r.cacheDuration) : null;
    if (cacheDuration === null) throw failed();
  }
  const config = new Map<string, DockerConfigEntry>();
  if (r.auth !== undefined && r.auth !== null) {
    if (typeof r.auth !== 'object' || Array.isArray(r.auth)) throw failed();
    for (const [registry, entry] of Object.entries(r.auth)) {
      const { username, password } = (entry ?? {}) as Readonly<Record<string, unknown>>;
      if (typeof username !== 'string' || typeof password !== 'string') throw failed();
      config.set(registry, { username, password });
    }
  }
  return { cacheKeyType, cacheDuration, config };
}

/** All plug-ins together. upstream: NewExternalCredentialProviderDockerKeyring */
export class ExternalCredentialProviderKeyring implements DockerKeyring {
  private readonly providers: readonly PluginProvider[];
  constructor(kernel: Kernel, providers: readonly CredentialProvider[], exec: ExecPlugin) {
    this.providers = providers.map((p) => new PluginProvider(kernel, p, exec));
  }
  *lookup(image: string): Go<readonly Credential[]> {
    const keyring = new BasicDockerKeyring();
    for (const provider of this.providers) keyring.add(yield* provider.provide(image));
    return yield* keyring.lookup(image);
  }
}
