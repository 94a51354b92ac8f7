/**
 * The API server of a cluster, by a kubeconfig. It is contacted once before anything runs, so that a wrong file,
 * authority or token is reported at the start.
 */
import { arch, platform } from 'node:os';
import { SetupError } from '../base/errors.js';
import { kubeletVersion, version } from '../base/version.js';
import { exchange, TransportError } from './exchange.js';
import { HTTPSTransport } from './https-transport.js';
import { loadKubeconfig, type ServerAccess } from './kubeconfig.js';

const goArch: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Written as a kubelet names itself, and us after it. */
export const userAgent = `kubelet/${kubeletVersion} (${platform()}/${goArch[arch()] ?? arch()}) syncloop/${version}`;

const preflightMillis = 5000;

/**
 * The transport of a node. What cannot get better by itself (a wrong file, authority or token) rejects with a
 * SetupError; a server that is away, or that refuses a request, is only worth a warning: a kubelet goes on trying.
 */
export async function connectCluster(
  kubeconfig: string,
  nodeName: string,
  warn: (text: string) => void,
): Promise<HTTPSTransport> {
  return await connectAccess(await loadKubeconfig(kubeconfig), nodeName, warn);
}

/** The same by access that is there. `bootstrap`: with rights to ask for a certificate, and no others. */
export async function connectAccess(
  access: ServerAccess,
  nodeName: string,
  warn: (text: string) => void,
  bootstrap = false,
): Promise<HTTPSTransport> {
  try {
    await preflight(access, nodeName, warn, bootstrap);
  } catch (err) {
    access.close();
    throw err;
  }
  return new HTTPSTransport(access, { userAgent });
}

async function preflight(
  access: ServerAccess,
  nodeName: string,
  warn: (text: string) => void,
  bootstrap: boolean,
): Promise<void> {
  const server = `the API server ${access.url}`;
  let code: number;
  let text: string;
  try {
    const url = new URL(`${access.url}/api/v1/nodes/${encodeURIComponent(nodeName)}`);
    const headers = { Accept: 'application/json', 'User-Agent': userAgent };
    const signal = AbortSignal.timeout(2 * preflightMillis);
    const outgoing = { method: 'GET', url, headers, timeoutMillis: preflightMillis };
    const { response } = await exchange(outgoing, await access.next(), signal);
    code = response.statusCode ?? 0;
    text = '';
    for await (const chunk of response.setEncoding('utf8')) text = (text + chunk).slice(0, 4096);
  } catch (err) {
    if (!(err instanceof TransportError)) throw err;
    const why = err.message.replace(/^Get "[^"]*": /, '');
    if (why.includes('x509:'))
      throw new SetupError(
        `${server} is not the one that the kubeconfig trusts: ${why}; put the cluster's own certificate authority into ` +
          'certificate-authority-data, and into tls-server-name the name that the certificate has',
      );
    if (why.includes('tls:') || why.startsWith('http: '))
      throw new SetupError(
        `the connection to ${server} fails: ${why}; check scheme and port of server, and the client certificate`,
      );
    warn(`${server} cannot be reached: ${why}. The kubelet keeps trying, and meanwhile runs the pods that it knows`);
    return;
  }
  if (code === 401)
    throw new SetupError(
      `${server} does not know ${access.description} (401 Unauthorized): its token or certificate is wrong or has expired; ` +
        'get another kubeconfig, or renew the credentials in it',
    );
  if (code === 403 && !bootstrap)
    warn(
      `${server} refuses to show ${access.description} its node: ${messageOf(text)}. ` +
        `A kubelet needs the rights of a node: user system:node:${nodeName} in group system:nodes, or the cluster role system:node`,
    );
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // The text is not JSON: it is reported as it is.
  }
  return text.trim().slice(0, 300) || 'it does not say why';
}
