/** Asks the kubelet's own server: `/pods` and `/metrics`. It only reads, and reveals no secret. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { SetupError, UsageError } from '../base/errors.js';
import { ignoreRequestErrors } from '../base/ignore-errors.js';
import { readSettings } from '../base/read-file.js';
import { isLoopback } from '../net/listen.js';

export interface KubeletAccess {
  /** Such as https://127.0.0.1:10250; http:// for its read-only port, on this machine only. */
  readonly url: string;
  /** File with a bearer token; it is read for each question, because tokens are renewed. */
  readonly tokenFile?: string;
  /** Files with a client certificate and its key, PEM. */
  readonly certFile?: string;
  readonly keyFile?: string;
  /** File with the authority of the kubelet's certificate, PEM: no other is trusted. */
  readonly caFile?: string;
  /** The name that the kubelet's certificate is for, if it is not that of the URL. */
  readonly serverName?: string;
}

export interface AskOptions {
  /** Milliseconds until the answer must have come whole. */
  readonly timeoutMillis?: number;
  /** Bytes of the answer. */
  readonly most?: number;
  readonly signal?: AbortSignal;
}

const MIB = 1024 * 1024;

export class KubeletClient {
  readonly url: string;

  /** Throws a UsageError for an access that would give a secret away, or cannot work. */
  constructor(private readonly access: KubeletAccess) {
    let url: URL;
    try {
      url = new URL(access.url);
    } catch {
      throw new UsageError(`${JSON.stringify(access.url)} is not a URL: write https://127.0.0.1:10250`);
    }
    if (url.username !== '' || url.password !== '')
      throw new UsageError('the URL of a kubelet has no credentials: give them in a file');
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (url.protocol === 'http:') {
      if (!isLoopback(host))
        throw new UsageError(`${url.origin} would be read in clear over the network: use https://${url.host}`);
      if (access.tokenFile !== undefined || access.certFile !== undefined)
        throw new UsageError(`${url.origin} is not encrypted and takes no credentials: use https, or leave them out`);
    } else if (url.protocol !== 'https:')
      throw new UsageError(`${JSON.stringify(url.origin)}: a kubelet is asked with https, or http on this machine`);
    if ((access.certFile === undefined) !== (access.keyFile === undefined))
      throw new UsageError('a client certificate needs its key, and a key its certificate: give both files');
    this.url = url.origin;
  }

  /** The body of the answer. Rejects with a SetupError: a sentence that names place and remedy. */
  async ask(path: string, { timeoutMillis = 10_000, most = 64 * MIB, signal }: AskOptions = {}): Promise<Buffer> {
    const { tokenFile, certFile, keyFile, caFile, serverName } = this.access;
    const url = `${this.url}${path}`;
    const token = tokenFile === undefined ? undefined : (await secret(tokenFile)).trim();
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new SetupError(`${tokenFile} is empty, or has more than one token: it must have one line`);
    const limit = AbortSignal.timeout(timeoutMillis);
    const tls = {
      ...(caFile !== undefined && { ca: await secret(caFile) }),
      ...(certFile !== undefined && { cert: await secret(certFile) }),
      ...(keyFile !== undefined && { key: await secret(keyFile) }),
      ...(serverName !== undefined && { servername: serverName }),
    };
    const { promise, resolve, reject } = withResolvers<IncomingMessage>();
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const call = send(url, {
      headers: {
        accept: path.startsWith('/metrics') ? 'text/plain' : 'application/json',
        'user-agent': 'syncloop-attach',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      // Nothing in the machine's settings decides who gets the token: no proxy, no kept connection.
      agent: false,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      ...tls,
    });
    ignoreRequestErrors(call);
    call.on('response', resolve);
    call.on('error', reject);
    call.on('close', () => reject(new Error('the connection was closed')));
    call.end();
    try {
      const response = await promise;
      const body = await bodyOf(response, most);
      const { statusCode: code = 0 } = response;
      if (code === 200) return body;
      throw new SetupError(this.refused(url, path, code));
    } catch (err) {
      if (err instanceof SetupError) throw err;
      if (limit.aborted) throw new SetupError(`${url} did not answer within ${timeoutMillis / 1000} s`);
      throw new SetupError(`${url}: ${this.why(err as NodeJS.ErrnoException)}`);
    } finally {
      call.destroy();
    }
  }

  private refused(url: string, path: string, code: number): string {
    const { tokenFile, certFile } = this.access;
    if (code === 401)
      return tokenFile !== undefined
        ? `${url} does not take the token in ${tokenFile}: it may have expired, or the kubelet has no webhook authentication`
        : certFile !== undefined
          ? `${url} does not take the certificate in ${certFile}: it must be signed by the authority that the kubelet knows (authentication.x509.clientCAFile)`
          : `${url} requires authentication: give a token file, or a client certificate`;
    if (code === 403)
      return `${url} may not be read by this user: allow get on nodes/${path.startsWith('/metrics') ? 'metrics' : 'proxy, or nodes/pods where the kubelet has fine-grained authorization'}`;
    if (code === 404) return `${url} does not exist: is this the address of a kubelet?`;
    return `${url} answered ${code}`;
  }

  private why({ code = '', message }: NodeJS.ErrnoException): string {
    if (code === 'ECONNREFUSED') return 'nobody listens there: does the kubelet run?';
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
      return "the kubelet's certificate is for another name: give the name of the node as server name";
    if (
      /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT.*)$/.test(
        code,
      )
    )
      return `the kubelet's certificate is signed by an authority that is not trusted: give the file of that authority, or the certificate itself, as /var/lib/kubelet/pki/kubelet.crt`;
    if (code === 'CERT_HAS_EXPIRED') return "the kubelet's certificate has expired";
    if (/aborted|ECONNRESET|closed|socket hang up/.test(`${code} ${message}`))
      return 'the connection broke off within the answer';
    return message.split('\n', 1)[0] ?? '';
  }
}

async function bodyOf(response: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) {
      response.destroy();
      throw new Error(`the answer has more than ${most} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** A file of credentials. What is in it is in no message. */
async function secret(path: string): Promise<string> {
  try {
    return await readSettings(path);
  } catch (err) {
    const { code, message } = err as NodeJS.ErrnoException;
    throw new SetupError(
      code === 'ENOENT'
        ? `${path} does not exist`
        : code === 'EACCES'
          ? `this user may not read ${path}: run as root, or as a user who may`
          : `${path} cannot be read: ${message}`,
    );
  }
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (err: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // It may be settled before anybody waits.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
