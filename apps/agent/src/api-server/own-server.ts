/** Our own API server in one process with the kubelet: core's server, and its door on loopback for kubectl. */
import { randomBytes, randomInt } from 'node:crypto';
import {
  type ApiResponse,
  ApiServer,
  type AuthorizationAttributes,
  type Decision,
  inProcessTransport,
  type UserInfo,
} from '@syncloop/core/apiserver';
import type { RestTransport } from '@syncloop/core/kubelet';
import { userAgent } from '../api-client/cluster.js';
import { newToken } from '../net/token.js';
import type { RunningNode } from '../node/kubelet-runner.js';
import { CertificateAuthority } from '../tls/certificate.js';
import { checkCertificates, readRequest } from '../tls/request.js';
import { Forwarder } from './forward.js';
import { writeKubeconfig } from './own-kubeconfig.js';
import { serveAPI } from './serve.js';

export interface OwnServerOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Where the kubeconfig is written. */
  readonly kubeconfig: string;
  /** Seconds that certificates which it signs are valid. Default: a year. */
  readonly signingDuration?: number;
}

/** Where a kubelet's server listens, and what vouches for it. */
export interface KubeletPlace {
  readonly host: string;
  readonly port: number;
  readonly caPem: string | null;
}

/** The server, listening. */
export interface OwnServer {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  /** The kubelet's own way there. */
  readonly transport: RestTransport;
  /** Tokens with which this server asks the kubelet's server, and whose they are. */
  readonly trustedTokens: ReadonlyMap<string, UserInfo>;
  /**
   * Told where the kubelet's own server listens: from then on logs, exec and so on work. `caPem` null: this server
   * signs the kubelet's certificate.
   */
  kubeletServes(server: KubeletPlace): void;
  close(): Promise<void>;
}

/** Lets the event loop go on. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const host = '127.0.0.1';
const days = 365;

/** Rejects with a SetupError where the port is taken or the kubeconfig cannot be written. */
export async function startOwnServer(
  node: Pick<RunningNode, 'kernel' | 'name'>,
  { port, kubeconfig, signingDuration }: OwnServerOptions,
): Promise<OwnServer> {
  const { kernel } = node;
  const authority = new CertificateAuthority({ commonName: 'syncloop', days });
  const hosts = [host, '::1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const token = newToken();
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
        if (step.done?.done) return step.done.value;
      }
    },
    authenticate: (given) => server?.userOfToken(given)?.user ?? null,
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
    authorize,
    certificates: {
      readRequest,
      checkCertificates,
      sign: (pem, policy) => authority.signRequest(pem, policy),
    },
    approveKubeletServing: true,
    ...(signingDuration !== undefined && { signingDuration }),
    schedulePods: true,
    rootCA: authority.certPem,
    serverAddress: address,
  });
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

const everybodys = /^(\/$|\/(api|apis|healthz|livez|readyz|openapi|version)(\/|$))/;

/**
 * There is no RBAC: the administrator and the node may do everything, anybody else may look at what there is to be
 * asked, and ask about itself.
 */
export function authorize({ user, resourceRequest, path, verb, group, resource }: AuthorizationAttributes): Decision {
  if (user.groups.includes('system:masters') || user.groups.includes('system:nodes')) return { allowed: true };
  if (user.groups.includes('system:bootstrappers') && group === 'certificates.k8s.io')
    return { allowed: resource === 'certificatesigningrequests' && ['create', 'get', 'list', 'watch'].includes(verb) };
  if (!resourceRequest) return { allowed: verb === 'get' && everybodys.test(path) };
  const aboutSelf = resource.startsWith('selfsubject') && /^auth(entic|oriz)ation\.k8s\.io$/.test(group);
  return { allowed: verb === 'create' && aboutSelf };
}
