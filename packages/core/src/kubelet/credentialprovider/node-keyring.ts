import type { OSInterface } from '../../host/os.js';
import { type Go, type Kernel, Minute } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { Credential } from '../images/types.js';
import { Logger } from '../klog.js';
import {
  BasicDockerKeyring,
  type DockerConfig,
  type DockerKeyring,
  parseDockerConfigJSON,
  parseDockercfg,
} from './keyring.js';

/** The folders that may have the node's own credentials. */
export interface DockerConfigPaths {
  /** The kubelet's folder. upstream: SetPreferredDockercfgPath */
  readonly preferred: string;
  /** Folders of the process; a missing one is not searched. */
  readonly working?: string;
  readonly home?: string;
}

/** The time for which credentials that were read are used. upstream: defaultDockerConfigProvider */
const lifetime = 5 * Minute;
const largest = 1024 * 1024;
/** A path in a folder. */
const inside = (folder: string, ...names: string[]) => [folder.replace(/\/$/, ''), ...names].join('/');

/**
 * The first of the node's files that can be read: `config.json`, else an old `.dockercfg`.
 * upstream: ReadDockerConfigFile
 */
export function dockerConfigFiles({ preferred, working, home }: DockerConfigPaths): {
  readonly path: string;
  readonly parse: (json: string) => DockerConfig;
}[] {
  const some = (path: string | undefined, ...names: string[]) => (path === undefined ? [] : [inside(path, ...names)]);
  const json = [
    ...some(preferred, 'config.json'),
    ...some(working, 'config.json'),
    ...some(home, '.docker', 'config.json'),
    '/.docker/config.json',
  ];
  const old = [
    ...some(preferred, '.dockercfg'),
    ...some(working, '.dockercfg'),
    ...some(home, '.dockercfg'),
    '/.dockercfg',
  ];
  return [
    ...json.map((path) => ({ path, parse: parseDockerConfigJSON })),
    ...old.map((path) => ({ path, parse: parseDockercfg })),
  ];
}

/**
 * Credentials that the administrator gave the node, for all its pods.
 * upstream: credentialprovider.NewDefaultDockerKeyring
 */
export class NodeKeyring implements DockerKeyring {
  private readonly log: Logger;
  private cached: { readonly keyring: BasicDockerKeyring; readonly until: Micros } | null = null;
  constructor(
    private readonly kernel: Kernel,
    private readonly os: OSInterface,
    private readonly paths: DockerConfigPaths,
  ) {
    this.log = new Logger(kernel, 'config.go');
  }

  *lookup(image: string): Go<readonly Credential[]> {
    if (!this.cached || this.kernel.now() >= this.cached.until) {
      const keyring = new BasicDockerKeyring();
      keyring.add(yield* this.read());
      this.cached = { keyring, until: this.kernel.now() + lifetime };
    }
    return yield* this.cached.keyring.lookup(image);
  }

  private *read(): Go<DockerConfig> {
    for (const { path, parse } of dockerConfigFiles(this.paths)) {
      let json: string;
      try {
        json = yield* this.os.readFile(path, { limit: largest });
      } catch {
        continue;
      }
      try {
        const config = parse(json);
        this.log.info(4, `found valid docker config at ${path}`);
        return config;
      } catch (err) {
        // Its content is not logged, because it may hold passwords.
        this.log.info(4, `while trying to parse docker config at ${path}`, { err: (err as Error).message });
      }
    }
    return new Map();
  }
}
