/** Our own API server in one process with the kubelet: core's server, and its port on loopback for kubectl. */
import { randomBytes, randomInt } from 'node:crypto';
import type { RestTransport } from '@syncloop/core/api';
import { type ApiResponse, ApiServer, inProcessTransport, type UserInfo } from '@syncloop/core/apiserver';
import { userAgent } from '../api-client/cluster.js';
import type { ApiData } from '../api-data/api-data.js';
import { inMemory, type Keeper } from '../api-data/keeper.js';
import { newToken } from '../net/token.js';
import type { RunningNode } from '../node/kubelet-runner.js';
import { CertificateAuthority, type Pair } from '../tls/certificate.js';
import { checkCertificates, readRequest } from '../tls/request.js';
import { administrator, tokenCheck } from './administrator.js';
import { Forwarder } from './forward.js';
import { writeKubeconfig } from './own-kubeconfig.js';
import { serveAPI } from './serve.js';
import { newServiceAccountKey, ServiceAccountKey } from './service-account-key.js';

export interface OwnServerOptions {
  /** 0: any free one. */
  readonly port: number;
  /** The path that the kubeconfig is written to. */
  readonly kubeconfig: string;
  /** Seconds that certificates which it signs are valid. Default: a year. */
  readonly signingDuration?: number;
  /** The data of an earlier run, and the place for new data. Default: everything is in memory. */
  readonly data?: ApiData | undefined;
}

/** The address of a kubelet's server, and the authority of its certificate. */
export interface KubeletPlace {
  readonly host: string;
  readonly port: number;
  readonly caPem: string | null;
}

/** The server, listening. */
export interface OwnServer {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  /** The transport by which the kubelet reaches it. */
  readonly transport: RestTransport;
  /** Tokens with which this server asks the kubelet's server, and their users. */
  readonly trustedTokens: ReadonlyMap<string, UserInfo>;
  /**
   * Sets the address of the kubelet's own server: from then on logs, exec and so on work. `caPem` null: this server
   * signs the kubelet's certificate.
   */
  kubeletServes(server: KubeletPlace): void;
  close(): Promise<void>;
}

/** Lets the event loop go on. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const host = '127.0.0.1';
/** The lifetime of the server's certificate, and of the authority, which outlives it if there is a data folder. */
const [days, authorityDays] = [365, 3650];

/** Rejects with a SetupError if the port is taken or the kubeconfig cannot be written. */
export async function startOwnServer(
  node: Pick<RunningNode, 'kernel' | 'name'>,
  { port, kubeconfig, data, signingDuration }: OwnServerOptions,
): Promise<OwnServer> {
  const { kernel } = node;
  const keys: Keeper = data ?? inMemory;
  const authority = await keptAuthority(keys);
  const hosts = [host, '::1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const token = await keys.keep('admin-token', newToken);
  const isToken = tokenCheck(token);
  const tokenKey = new ServiceAccountKey(await keys.keep('service-account-key', newServiceAccountKey));
  const kubeletToken = newToken();
  let server: ApiServer | null = null;
  let forwarder: Forwarder | null = null;
  const served = await serveAPI({
    async handle(request) {
      const asked = server;
      if (!asked) throw new Error('the server is not up yet');
      for (const steps = asked.steps(request); ; await turn()) {
        const step: { done?: IteratorResult<void, ApiResponse> } = {};
        kernel.post(() => {
          step.done = steps.next();
        });
        const response = step.done?.done ? step.done.value : null;
        // A write is answered when it is on the disk.
        if (response) return new Promise((resolve) => asked.whenCommitted(request, response, resolve));
      }
    },
    authenticate: (given) => server?.userOfToken(given) ?? null,
    impersonate(user, wanted) {
      if (!server) throw new Error('the server is not up yet');
      return server.impersonate(user, wanted);
    },
    token,
    clientCA: authority.certPem,
    tls: authority.issue({ commonName: 'kube-apiserver', hosts, days, usage: 'server' }),
    host,
    port,
    remedy: 'choose another with --serve-api=PORT (0 for any free one)',
    forwarder: (nodeName) => (nodeName === node.name ? forwarder : null),
  });
  try {
    await writeKubeconfig(kubeconfig, { server: served.url, caPem: authority.certPem, token });
  } catch (err) {
    await served.close();
    throw err;
  }
  const address = `${host}:${served.port}`;
  const made = new ApiServer(kernel, {
    random: {
      hex: (n) =>
        randomBytes(Math.ceil(n / 2))
          .toString('hex')
          .slice(0, n),
      below: (n) => randomInt(n),
    },
    authorizationModes: ['Node', 'RBAC'],
    tokenKey,
    hostToken: (given) => (isToken(given) ? administrator : null),
    certificates: {
      readRequest,
      checkCertificates,
      sign: (pem, policy) => authority.signRequest(pem, policy),
    },
    approveKubeletServing: true,
    ...(signingDuration !== undefined && { signingDuration }),
    schedulePods: true,
    runJobs: true,
    rootCA: authority.certPem,
    serverAddress: address,
    ...(data && { journal: data }),
    ...(data?.kept && { kept: data.kept }),
  });
  data?.serve(made);
  // The objects of every cluster, such as roles, are visible to clients once they are on the disk.
  await new Promise((resolve) => made.store.whenCommitted(made.store.newest, resolve));
  server = made;
  const user: UserInfo = { name: `system:node:${node.name}`, groups: ['system:nodes', 'system:authenticated'] };
  return {
    url: served.url,
    transport: inProcessTransport(kernel, made, { user, userAgent, host: served.url, latency: 0 }),
    trustedTokens: new Map([
      [kubeletToken, { name: 'kube-apiserver-kubelet-client', groups: ['system:masters', 'system:authenticated'] }],
    ]),
    kubeletServes(access) {
      forwarder?.close();
      const { host, port, caPem } = access;
      const trust = caPem === null ? { caPem: authority.certPem, servername: node.name } : { caPem };
      forwarder = new Forwarder({ host, port, ...trust, token: kubeletToken });
    },
    async close() {
      forwarder?.close();
      await served.close();
    },
  };
}

/** Clients trust the same authority after a restart. */
async function keptAuthority(keys: Keeper): Promise<CertificateAuthority> {
  const made = () => JSON.stringify(new CertificateAuthority({ commonName: 'syncloop', days: authorityDays }).pair);
  return new CertificateAuthority(JSON.parse(await keys.keep('authority', made)) as Pair);
}
