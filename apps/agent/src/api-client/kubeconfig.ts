/**
 * Access to an API server by a kubeconfig file: its address, the authority to trust, and our credentials. The library
 * `@kubernetes/client-node` parses the file; this code reads the files that it names, runs plug-ins and sends requests,
 * because these need limits.
 */
import { createHash, X509Certificate } from 'node:crypto';
import type { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import { trimRight } from '@syncloop/core/base';
import { printableURL } from '@syncloop/core/kubelet';
import { SetupError, UsageError } from '../base/errors.js';
import { readSettings } from '../base/read-file.js';
import { parseYAML, type YAMLDocument } from '../base/yaml.js';
import { PluginError } from '../host/run-plugin.js';
import { type ExecCredentialStatus, type ExecPlugin, execCredential, execPluginOf } from './exec-plugin.js';
import { proxyFromEnv } from './proxy-env.js';

/** The agent and the headers of the next request. */
export interface RequestAccess {
  readonly agent: Agent;
  /** They contain credentials: never to be logged. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An API server and our credentials for it. */
export interface ServerAccess {
  /** `https://10.0.0.1:6443`, with a path if the server is below one; no slash at the end. */
  readonly url: string;
  /** Names the user and the file, for messages; contains no secret. */
  readonly description: string;
  /** Resolves with current credentials; rereads files and reruns plug-ins from time to time. Rejects with an Error. */
  next(): Promise<RequestAccess>;
  /** Called when the server refused our credentials: `next` reads them again. */
  refused(): void;
  /** Ends all connections, including those in use: the next requests make new ones. */
  closeConnections(): void;
  close(): void;
}

/**
 * The time for which credentials are used before they are read again, ms. upstream: client-go transport/token_source.go
 */
const freshMillis = 60_000;
/** Idle connections are given up before most servers and balancers do, ms. */
const idleMillis = 55_000;

type Fields = Readonly<Record<string, unknown>>;

/** A client certificate and its key, in PEM. */
export interface ClientPair {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface AccessOptions {
  /** The environment that names proxies. Default: this process' environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Returns the client certificate to use in place of all credentials of the file; null while none exists. Called for
   * each request.
   */
  readonly clientPair?: () => ClientPair | null;
}

/** Reads and checks the file. Rejects with a SetupError that names the place in it and the remedy. */
export async function loadKubeconfig(
  file: string,
  { env = process.env, clientPair }: AccessOptions = {},
): Promise<ServerAccess> {
  const { text, chosen } = await readKubeconfig(file);
  // It brings much along, and only this command with this flag needs it.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const kube: KubeConfig = new KubeConfig();
  try {
    kube.loadFromString(text);
  } catch (err) {
    // Our own checks passed this text before; the first line of this parser's complaint is enough.
    throw new SetupError(`${file}: ${(err as Error).message.split('\n')[0]}`);
  }
  const base = dirname(resolve(file));
  const cluster = kube.getCluster(chosen.cluster);
  if (!cluster) throw new SetupError(`${file}: cluster ${JSON.stringify(chosen.cluster)} cannot be read`);
  const { exec: _, ...user } = (clientPair ? null : kube.getUser(chosen.user)) ?? ({ name: chosen.user } as User);
  // `makePathsAbsolute` would throw for an unused entry that has something else than a path.
  const proxyUrl = cluster.proxyUrl ?? proxyFromEnv(chosen.server, env);
  if (proxyUrl !== undefined)
    checkProxy(file, cluster.proxyUrl === undefined ? 'of the environment' : 'proxy-url', proxyUrl);
  const parts = {
    // For plain HTTP there is no TLS to verify, which client-node wants to hear.
    cluster: {
      ...cluster,
      ...(cluster.caFile && { caFile: absolute(base, cluster.caFile) }),
      ...(chosen.server.protocol === 'http:' && { skipTLSVerify: true }),
      ...(proxyUrl !== undefined && { proxyUrl }),
    },
    user: {
      ...user,
      ...(user.certFile && { certFile: absolute(base, user.certFile) }),
      ...(user.keyFile && { keyFile: absolute(base, user.keyFile) }),
    },
  };
  const { tokenFile, token, exec } = chosen.userFields;
  const access = new FileAccess(kube, parts, chosen.server, {
    file,
    exec: clientPair ? null : execPluginOf(file, chosen.user, exec, base, chosen.clusterFields),
    user: chosen.user,
    tokenFile: !clientPair && typeof tokenFile === 'string' && !token ? absolute(base, tokenFile) : null,
    clientPair: clientPair ?? null,
  });
  await access.next();
  return access;
}

/** The cluster and the client certificate of a kubeconfig's current context, as the file has them. */
export interface KubeconfigContent {
  readonly cluster: Fields;
  /** `data` in base64, or the absolute path of a file; both are missing if the user has no certificate. */
  readonly clientCertificate: { readonly data?: string; readonly file?: string };
  readonly clientKey: { readonly data?: string; readonly file?: string };
}

/** Reads the parts of a kubeconfig from which another one is made. Rejects as {@link loadKubeconfig}. */
export async function kubeconfigContent(file: string): Promise<KubeconfigContent> {
  const { chosen } = await readKubeconfig(file);
  const base = dirname(resolve(file));
  const part = (name: string) => {
    const [data, path] = [chosen.userFields[`${name}-data`], chosen.userFields[name]];
    if (typeof data === 'string' && data !== '') return { data };
    return typeof path === 'string' && path !== '' ? { file: absolute(base, path) } : {};
  };
  const ca = chosen.clusterFields['certificate-authority'];
  return {
    cluster: {
      ...chosen.clusterFields,
      ...(typeof ca === 'string' && ca !== '' && { 'certificate-authority': absolute(base, ca) }),
    },
    clientCertificate: part('client-certificate'),
    clientKey: part('client-key'),
  };
}

async function readKubeconfig(file: string): Promise<{ readonly text: string; readonly chosen: Chosen }> {
  let text: string;
  try {
    text = await readSettings(file);
  } catch (err) {
    const { code, message } = err as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : message;
    throw new UsageError(
      `cannot read --kubeconfig ${file}: ${why}; give a kubeconfig of a cluster (kubectl config view --raw --minify), ` +
        'or leave the flag out to run stand-alone',
    );
  }
  return { text, chosen: choose(file, parseYAML(file, text)) };
}

interface Chosen {
  readonly server: URL;
  readonly cluster: string;
  readonly clusterFields: Fields;
  readonly user: string;
  readonly userFields: Fields;
}

/** Returns the entries that the current context names. */
function choose(file: string, doc: YAMLDocument): Chosen {
  const fail = (path: (string | number)[], what: string): never => {
    throw new SetupError(`${doc.place(...path)}: ${what}`);
  };
  const root = fieldsOf(doc.value);
  if (!root || (root.kind !== undefined && root.kind !== 'Config'))
    return fail([], 'this is not a kubeconfig: it must be a map with kind: Config, clusters, users and contexts');
  const named = (list: string, name: string) => {
    const items = Array.isArray(root[list]) ? root[list].map(fieldsOf) : [];
    const names = items.map((item) => JSON.stringify(item?.name)).join(', ');
    const index = items.findIndex((item) => item?.name === name);
    return { found: items[index], at: [list, index], names: names ? `there are: ${names}` : `the file has no ${list}` };
  };
  const current = root['current-context'];
  if (typeof current !== 'string' || current === '') {
    const { names } = named('contexts', '');
    return fail([], `no current-context is set (${names}): kubectl config use-context NAME --kubeconfig ${file}`);
  }
  const context = named('contexts', current);
  const { cluster, user } = fieldsOf(context.found?.context) ?? {};
  if (typeof cluster !== 'string')
    return fail(
      context.found ? context.at : ['current-context'],
      `the context ${JSON.stringify(current)} does not exist or names no cluster; ${context.names}`,
    );
  const clusterEntry = named('clusters', cluster);
  const clusterFields = fieldsOf(clusterEntry.found?.cluster);
  if (!clusterFields)
    return fail(
      context.at,
      `the cluster ${JSON.stringify(cluster)} of the context does not exist; ${clusterEntry.names}`,
    );
  const name = typeof user === 'string' ? user : '';
  const userEntry = named('users', name);
  if (name !== '' && !userEntry.found)
    return fail(context.at, `the user ${JSON.stringify(name)} of the context does not exist; ${userEntry.names}`);
  const { server } = clusterFields;
  const url = typeof server === 'string' && URL.canParse(server) ? new URL(server) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || url.search !== '')
    return fail(
      [...clusterEntry.at, 'cluster', 'server'],
      `server of cluster ${JSON.stringify(cluster)} is ${shown(server)}, but must be a URL such as https://10.0.0.1:6443, without a user or a query`,
    );
  if (clusterFields['insecure-skip-tls-verify'] === true && hasCA(clusterFields))
    return fail(
      [...clusterEntry.at, 'cluster', 'insecure-skip-tls-verify'],
      `cluster ${JSON.stringify(cluster)} has insecure-skip-tls-verify and a certificate authority: specifying a root certificates file with the insecure flag is not allowed; remove one of them`,
    );
  const userFields = fieldsOf(userEntry.found?.user) ?? {};
  const entries = [
    ['cluster', cluster, clusterEntry.at, clusterFields],
    ['user', name, userEntry.at, userFields],
  ] as const;
  for (const [what, whose, at, fields] of entries)
    for (const field of TEXTS[what])
      if (fields[field] != null && typeof fields[field] !== 'string')
        return fail(
          [...at, what, field],
          `${field} of ${what} ${JSON.stringify(whose)} must be a text: put it in quotes`,
        );
  const provider = userFields['auth-provider'];
  if (provider != null && !(typeof fieldsOf(provider)?.name === 'string' && fieldsOf(fieldsOf(provider)?.config)))
    return fail(
      [...userEntry.at, 'user', 'auth-provider'],
      `auth-provider of user ${JSON.stringify(name)} must be a map with a name and a config, which is a map, too; ` +
        'Kubernetes has had no such plug-ins since v1.26: log in again, and use what your provider has now (exec)',
    );
  return { server: url, cluster, clusterFields, user: name, userFields };
}

/** Fields that are texts. upstream: client-go/tools/clientcmd/api/v1/types.go */
const TEXTS = {
  cluster: ['certificate-authority', 'certificate-authority-data', 'tls-server-name', 'proxy-url'],
  user: [
    ...['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data'],
    ...['token', 'tokenFile', 'username', 'password', 'as'],
  ],
} as const;

/** Returns a value for messages, without what must not be in a log. */
const shown = (value: unknown): string =>
  JSON.stringify(typeof value === 'string' ? printableURL(value) : value == null ? null : `no text`);

/** Throws a SetupError if a proxy's URL is not a URL. It may contain a password, so the error does not repeat it. */
function checkProxy(file: string, where: string, text: string): void {
  if (URL.canParse(text) && /^(https?|socks[45]?[ah]?):$/.test(new URL(text).protocol)) return;
  throw new SetupError(
    `${file}: the proxy (${where}) is ${shown(text)}, but must be a URL such as http://10.0.0.1:3128 or socks5://10.0.0.1:1080`,
  );
}

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
const hasCA = (cluster: Fields) =>
  Boolean(cluster['certificate-authority']) || Boolean(cluster['certificate-authority-data']);
const absolute = (base: string, path: string) => (isAbsolute(path) ? path : resolve(base, path));

interface Source {
  readonly file: string;
  readonly user: string;
  readonly tokenFile: string | null;
  readonly exec: ExecPlugin | null;
  readonly clientPair: (() => ClientPair | null) | null;
}

/** The parts as client-node returns them: with names of files. */
interface Parts {
  readonly cluster: Cluster;
  readonly user: User;
}

class FileAccess implements ServerAccess {
  readonly url: string;
  readonly description: string;
  private current: { readonly access: RequestAccess; readonly tls: string; readonly until: number } | null = null;
  private pending: Promise<RequestAccess> | null = null;
  private lastToken = '';
  /** The pair that `current` has. */
  private pair: ClientPair | null = null;
  /** All agents that may still have connections. */
  private readonly agents = new Set<Agent>();

  constructor(
    private readonly kube: KubeConfig,
    private readonly parts: Parts,
    private readonly server: URL,
    private readonly source: Source,
  ) {
    this.url = `${server.origin}${trimRight(server.pathname, '/')}`;
    this.description = `user ${JSON.stringify(source.user)} of ${source.file}`;
  }

  next(): Promise<RequestAccess> {
    const fresh = this.current && performance.now() < this.current.until;
    if (this.current && fresh && (this.source.clientPair?.() ?? null) === this.pair)
      return Promise.resolve(this.current.access);
    this.pending ??= this.read().finally(() => {
      this.pending = null;
    });
    return this.pending;
  }

  refused(): void {
    if (this.source.exec) this.source.exec.cached = null;
    if (this.current) this.current = { ...this.current, until: 0 };
  }

  closeConnections(): void {
    for (const agent of this.agents) {
      agent.destroy();
      if (agent !== this.current?.access.agent) this.agents.delete(agent);
    }
  }

  close(): void {
    this.closeConnections();
  }

  private async read(): Promise<RequestAccess> {
    const options: RequestOptions = { headers: {}, rejectUnauthorized: true };
    const { exec, file, user } = this.source;
    try {
      const pair = this.source.clientPair?.() ?? null;
      this.pair = pair;
      const given = pair ?? (exec ? await execCredential(exec) : {});
      await this.loadFiles(given);
      await this.kube.applyToHTTPSOptions(options);
      if ('token' in given && given.token !== undefined)
        options.headers = { ...options.headers, Authorization: `Bearer ${given.token}` };
    } catch (err) {
      throw new SetupError(credentialError(err as NodeJS.ErrnoException, this.source));
    }
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      if (typeof value === 'string') headers[name] = value.trim();
    }
    if (this.source.tokenFile !== null) headers.Authorization = `Bearer ${await this.token(this.source.tokenFile)}`;
    else if (options.auth && headers.Authorization === undefined)
      headers.Authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
    for (const [name, value] of Object.entries(headers))
      if (unsendable.test(value))
        throw new SetupError(
          `${file}: ${name === 'Authorization' ? this.tokenPlace() : `the header ${name}`} of user ${JSON.stringify(user)} has a ` +
            'character that no header may have, such as the end of a line: write it on one line, in plain ASCII',
        );
    const agent = options.agent as Agent & { keepAlive: boolean; options: RequestOptions };
    const { ca, cert, key, pfx, servername, rejectUnauthorized } = agent.options;
    if (this.server.protocol === 'https:') checkPair(agent.options, this.source);
    const tls = createHash('sha256')
      .update(JSON.stringify([ca, cert, key, pfx, servername, rejectUnauthorized].map((part) => String(part ?? ''))))
      .digest('hex');
    const known = this.current;
    // Keeps connections as long as new ones would have the same parameters.
    const access = { headers, agent: known?.tls === tls ? known.access.agent : keptAlive(agent) };
    for (const old of this.agents) if (Object.keys(old.sockets).length === 0) this.agents.delete(old);
    this.agents.add(access.agent);
    this.current = { access, tls, until: performance.now() + freshMillis };
    return access;
  }

  /** Returns the origin of the token, for messages. */
  private tokenPlace(): string {
    const { exec, tokenFile } = this.source;
    if (tokenFile !== null) return `the token file ${tokenFile}`;
    return exec ? 'the token that the credential plug-in gives' : 'the token';
  }

  /** Reads the files that the kubeconfig names, within limits: client-node would read any file. */
  private async loadFiles(given: ExecCredentialStatus): Promise<void> {
    const { cluster, user } = this.parts;
    const data = async (file: string | undefined, text: string | undefined) =>
      file ? Buffer.from(await readSettings(file)).toString('base64') : text;
    const { caFile: _ca, caData: _caData, ...restOfCluster } = cluster;
    const { certFile: _cert, certData: _certData, keyFile: _key, keyData: _keyData, ...restOfUser } = user;
    const caData = await data(cluster.caFile, cluster.caData);
    const certData = given.certPem ? base64(given.certPem) : await data(user.certFile, user.certData);
    const keyData = given.keyPem ? base64(given.keyPem) : await data(user.keyFile, user.keyData);
    this.kube.loadFromOptions({
      clusters: [{ ...restOfCluster, ...(caData !== undefined && { caData }) }],
      users: [
        { ...restOfUser, ...(certData !== undefined && { certData }), ...(keyData !== undefined && { keyData }) },
      ],
      contexts: [{ name: 'current', cluster: cluster.name, user: user.name }],
      currentContext: 'current',
    });
  }

  /** The token of a file. If it cannot be read now, somebody may be replacing it: the last token stays in use. */
  private async token(file: string): Promise<string> {
    try {
      const token = (await readSettings(file)).trim();
      if (token !== '') {
        this.lastToken = token;
        return token;
      }
      if (this.lastToken === '') throw new SetupError(`the token file ${file} is empty`);
    } catch (err) {
      if (this.lastToken === '')
        throw err instanceof SetupError
          ? err
          : new SetupError(`cannot read the token file ${file}: ${(err as Error).message}`);
    }
    return this.lastToken;
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Characters that Node refuses to send in a header. */
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;

function keptAlive(agent: Agent & { keepAlive: boolean; options: RequestOptions }): Agent {
  agent.keepAlive = true;
  agent.maxFreeSockets = 8;
  agent.options.timeout = idleMillis;
  return agent;
}

/** Reports in words the problems that TLS would report as codes at the first connection. Throws a SetupError. */
function checkPair({ ca, cert, key }: RequestOptions, { file, user }: Source): void {
  const parse = (what: string, pem: unknown) => {
    try {
      new X509Certificate(pem as Buffer);
    } catch (err) {
      throw new SetupError(`${file}: ${what} is not a certificate in PEM: ${(err as Error).message}`);
    }
  };
  if (ca) parse('the certificate authority of the cluster', ca);
  if (cert) parse(`the client certificate of user ${JSON.stringify(user)}`, cert);
  if (Boolean(cert) !== Boolean(key))
    throw new SetupError(
      `${file}: user ${JSON.stringify(user)} has a client ${cert ? 'certificate without its key' : 'key without its certificate'}`,
    );
}

function credentialError(err: NodeJS.ErrnoException, { file, user }: Source): string {
  const { code, path } = err;
  if (err instanceof SetupError) return err.message;
  if (err instanceof PluginError && err.code !== undefined)
    return `the credential plug-in of user ${JSON.stringify(user)} in ${file} cannot be run: ${err.message}; install it or use another user`;
  if (path)
    return `${file} names ${path}, which cannot be read: ${code === 'ENOENT' ? 'there is no such file' : err.message}`;
  const words = err instanceof PluginError ? err.stderr : err.message;
  const end = words.trim().split('\n').slice(-3).join(' ').slice(-400);
  const said = err instanceof PluginError ? [err.message, end].filter(Boolean).join(': ') : end;
  return `no credentials of user ${JSON.stringify(user)} in ${file}: ${said || 'the plug-in failed and printed nothing; run it by hand to see why'}`;
}
