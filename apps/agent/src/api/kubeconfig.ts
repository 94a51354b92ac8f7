/**
 * Access to an API server by a kubeconfig file: where it is, whom to trust, who we are. Files, tokens and plug-ins are read
 * by @kubernetes/client-node; the requests are our own.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { KubeConfig, User } from '@kubernetes/client-node';
import { SetupError, UsageError } from '../cli/errors.js';
import { parseYAML, type YAMLDocument } from '../config/yaml.js';
import { proxyFromEnv } from './proxy-env.js';

/** What the next request needs. */
export interface RequestAccess {
  readonly agent: Agent;
  /** Credentials among them: never to be logged. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An API server and our credentials for it. */
export interface ServerAccess {
  /** `https://10.0.0.1:6443`, with a path where the server is below one; no slash at the end. */
  readonly url: string;
  /** Of the user and the file, for messages: no secret. */
  readonly description: string;
  /** Files, plug-ins and tokens are read again from time to time. Rejects with an Error that says what failed. */
  next(): Promise<RequestAccess>;
  /** The server refused our credentials: `next` reads them anew. */
  refused(): void;
  close(): void;
}

/** How long credentials are taken as read, ms. upstream: client-go transport/token_source.go */
const freshMillis = 60_000;
/** Idle connections are given up before most servers and balancers do, ms. */
const idleMillis = 55_000;

type Fields = Readonly<Record<string, unknown>>;

/** Reads and checks the file. Rejects with a SetupError that names the place in it and what to do. */
export async function loadKubeconfig(
  file: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<ServerAccess> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (err) {
    const { code, message } = err as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : message;
    throw new UsageError(
      `cannot read --kubeconfig ${file}: ${why}; give a kubeconfig of a cluster (kubectl config view --raw --minify), ` +
        'or leave the flag out to run stand-alone',
    );
  }
  const chosen = choose(file, parseYAML(file, text));
  // It brings much along, and only this command with this flag needs it.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const kube: KubeConfig = new KubeConfig();
  kube.loadFromString(text);
  const base = dirname(resolve(file));
  kube.makePathsAbsolute(base);
  const cluster = kube.getCluster(chosen.cluster);
  if (!cluster) throw new SetupError(`${file}: cluster ${JSON.stringify(chosen.cluster)} cannot be read`);
  const user = adaptedUser(kube.getUser(chosen.user), chosen.userFields, base, chosen.clusterFields);
  const proxyUrl = cluster.proxyUrl ?? proxyFromEnv(chosen.server, env);
  kube.loadFromOptions({
    // For plain HTTP there is no TLS to verify, which client-node wants to hear.
    clusters: [
      {
        ...cluster,
        ...(chosen.server.protocol === 'http:' && { skipTLSVerify: true }),
        ...(proxyUrl !== undefined && { proxyUrl }),
      },
    ],
    users: [user],
    contexts: [{ name: 'current', cluster: cluster.name, user: user.name }],
    currentContext: 'current',
  });
  const tokenFile = chosen.userFields.tokenFile;
  const access = new FileAccess(kube, chosen.server, {
    file,
    user: chosen.user,
    tokenFile: typeof tokenFile === 'string' && !chosen.userFields.token ? absolute(base, tokenFile) : null,
  });
  await access.next();
  return access;
}

interface Chosen {
  readonly server: URL;
  readonly cluster: string;
  readonly clusterFields: Fields;
  readonly user: string;
  readonly userFields: Fields;
}

/** What the current context names. */
function choose(file: string, doc: YAMLDocument): Chosen {
  const fail = (path: (string | number)[], what: string): never => {
    throw new SetupError(`${doc.place(...path)}: ${what}`);
  };
  const root = fieldsOf(doc.value);
  if (!root || (root.kind !== undefined && root.kind !== 'Config'))
    return fail([], 'this is no kubeconfig: a map with kind: Config, clusters, users and contexts is wanted');
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
      `the context ${JSON.stringify(current)} is not there or names no cluster; ${context.names}`,
    );
  const clusterEntry = named('clusters', cluster);
  const clusterFields = fieldsOf(clusterEntry.found?.cluster);
  if (!clusterFields)
    return fail(
      context.at,
      `the cluster ${JSON.stringify(cluster)} of the context is not there; ${clusterEntry.names}`,
    );
  const name = typeof user === 'string' ? user : '';
  const userEntry = named('users', name);
  if (name !== '' && !userEntry.found)
    return fail(context.at, `the user ${JSON.stringify(name)} of the context is not there; ${userEntry.names}`);
  const { server } = clusterFields;
  const url = typeof server === 'string' && URL.canParse(server) ? new URL(server) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    return fail(
      [...clusterEntry.at, 'cluster', 'server'],
      `server of cluster ${JSON.stringify(cluster)} is ${JSON.stringify(server ?? null)}, but must be a URL such as https://10.0.0.1:6443`,
    );
  if (clusterFields['insecure-skip-tls-verify'] === true && hasCA(clusterFields))
    return fail(
      [...clusterEntry.at, 'cluster', 'insecure-skip-tls-verify'],
      `cluster ${JSON.stringify(cluster)} has insecure-skip-tls-verify and a certificate authority: specifying a root certificates file with the insecure flag is not allowed; remove one of them`,
    );
  return { server: url, cluster, clusterFields, user: name, userFields: fieldsOf(userEntry.found?.user) ?? {} };
}

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
const hasCA = (cluster: Fields) =>
  Boolean(cluster['certificate-authority']) || Boolean(cluster['certificate-authority-data']);
const absolute = (base: string, path: string) => (isAbsolute(path) ? path : resolve(base, path));

/** A plug-in's command relative to the file, and what it is told of the server. upstream: client-go plugin/pkg/client/auth/exec */
function adaptedUser(user: User | null, fields: Fields, base: string, cluster: Fields): User {
  if (!user) return { name: '' };
  const exec = fieldsOf(fields.exec);
  if (!exec) return user;
  const { command, apiVersion, provideClusterInfo } = exec;
  if (typeof command !== 'string' || command === '')
    throw new SetupError(`users: the exec plug-in of user ${JSON.stringify(user.name)} has no command`);
  const info = {
    apiVersion: typeof apiVersion === 'string' ? apiVersion : 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      ...(provideClusterInfo === true && {
        cluster: {
          server: cluster.server,
          'certificate-authority-data': cluster['certificate-authority-data'],
          'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
          'tls-server-name': cluster['tls-server-name'],
        },
      }),
    },
  };
  const env = Array.isArray(exec.env) ? (exec.env as unknown[]) : [];
  return {
    ...user,
    exec: {
      ...exec,
      command: command.includes('/') ? absolute(base, command) : command,
      args: Array.isArray(exec.args) ? exec.args : [],
      env: [...env, { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }],
    },
  };
}

interface Source {
  readonly file: string;
  readonly user: string;
  readonly tokenFile: string | null;
}

class FileAccess implements ServerAccess {
  readonly url: string;
  readonly description: string;
  private current: { readonly access: RequestAccess; readonly tls: string; readonly until: number } | null = null;
  private pending: Promise<RequestAccess> | null = null;
  private lastToken = '';

  constructor(
    private readonly kube: KubeConfig,
    private readonly server: URL,
    private readonly source: Source,
  ) {
    this.url = `${server.origin}${server.pathname.replace(/\/+$/, '')}`;
    this.description = `user ${JSON.stringify(source.user)} of ${source.file}`;
  }

  next(): Promise<RequestAccess> {
    if (this.current && performance.now() < this.current.until) return Promise.resolve(this.current.access);
    this.pending ??= this.read().finally(() => {
      this.pending = null;
    });
    return this.pending;
  }

  refused(): void {
    if (this.current) this.current = { ...this.current, until: 0 };
  }

  close(): void {
    this.current?.access.agent.destroy();
  }

  private async read(): Promise<RequestAccess> {
    const options: RequestOptions = { headers: {}, rejectUnauthorized: true };
    try {
      await this.kube.applyToHTTPSOptions(options);
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
    const agent = options.agent as Agent & { keepAlive: boolean; options: RequestOptions };
    const { ca, cert, key, pfx, servername, rejectUnauthorized } = agent.options;
    if (this.server.protocol === 'https:') checkPair(agent.options, this.source);
    const tls = createHash('sha256')
      .update(JSON.stringify([ca, cert, key, pfx, servername, rejectUnauthorized].map((part) => String(part ?? ''))))
      .digest('hex');
    const known = this.current;
    // Connections are kept for as long as they would be made in the same way.
    const access = { headers, agent: known?.tls === tls ? known.access.agent : keptAlive(agent) };
    this.current = { access, tls, until: performance.now() + freshMillis };
    return access;
  }

  /** What cannot be read now may be between two versions: the last one stands. */
  private async token(file: string): Promise<string> {
    try {
      const token = (await readFile(file, 'utf8')).trim();
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

function keptAlive(agent: Agent & { keepAlive: boolean; options: RequestOptions }): Agent {
  agent.keepAlive = true;
  agent.maxFreeSockets = 8;
  agent.options.timeout = idleMillis;
  return agent;
}

/** Says in words what TLS would say in codes at the first connection. */
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
  const { code, path, syscall } = err;
  if (syscall?.startsWith('spawn'))
    return `the credential plug-in of user ${JSON.stringify(user)} in ${file} cannot be run: ${err.message}; install it or use another user`;
  if (path)
    return `${file} names ${path}, which cannot be read: ${code === 'ENOENT' ? 'there is no such file' : err.message}`;
  const said = err.message.trim().split('\n').slice(-3).join(' ').slice(0, 500);
  return `no credentials of user ${JSON.stringify(user)} in ${file}: ${said || 'the plug-in failed without a word'}`;
}
