/** /containerLogs. upstream: getContainerLogs */

import type { ServerResponse } from 'node:http';
import { type Context, call, type Go } from '@syncloop/core/kernel';
import {
  type ContainerPath,
  getContainerLogs,
  getContainerSpec,
  getPodByName,
  HTTPError,
  parsePodLogOptions,
} from '@syncloop/core/kubelet/server';
import type { ServerRequest } from './http.js';
import { requestContext, type ServerSource } from './source.js';

/** Bytes that wait for a reader before the log is read on. */
const flushBytes = 65536;

/** Writes a log as it grows; an error after the first byte is the end of the text, as upstream (row HTTP-09). */
export async function sendContainerLogs(
  { node, logFiles }: ServerSource,
  { namespace, pod: name, container }: ContainerPath,
  incoming: ServerRequest,
): Promise<null> {
  const { kubelet } = node;
  const { response, query } = incoming;
  const options = parsePodLogOptions(query, kubelet.config);
  const pod = getPodByName(kubelet, namespace, name, `pod ${JSON.stringify(name)} does not exist`);
  if (!getContainerSpec(pod, container))
    throw new HTTPError(404, `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(name)}`);
  const [ctx, cancel] = requestContext(node, incoming);
  const out = new Out(response, ctx);
  try {
    await node.run('containerLogs', () =>
      getContainerLogs(kubelet, logFiles, ctx, pod, container, options, (bytes) => out.write(bytes)),
    );
  } catch (err) {
    if (!response.headersSent) throw new HTTPError(400, (err as Error).message);
    out.flush();
    if (!ctx.err()) response.write((err as Error).message);
  } finally {
    cancel();
  }
  if (!response.headersSent) response.writeHead(200, headers);
  out.flush();
  response.end();
  return null;
}

const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };

/** Joins small writes, and waits for a slow reader. */
class Out {
  private parts: Uint8Array[] = [];
  private size = 0;
  private planned = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly ctx: Context,
  ) {}

  *write(bytes: Uint8Array): Go<void> {
    // The first piece, which may be empty, shows that there is a log.
    if (!this.response.headersSent) {
      this.response.writeHead(200, headers);
      this.response.flushHeaders();
    }
    if (bytes.length === 0) return;
    this.parts.push(bytes);
    this.size += bytes.length;
    if (this.size >= flushBytes) {
      const { response, ctx } = this;
      if (!this.flush()) yield* call('log reader', () => drained(response), ctx);
    } else if (!this.planned) {
      this.planned = true;
      setImmediate(() => {
        this.planned = false;
        this.flush();
      });
    }
  }

  /** False if the reader should be waited for. */
  flush(): boolean {
    if (this.size === 0 || this.response.destroyed) return true;
    const all = Buffer.concat(this.parts);
    this.parts = [];
    this.size = 0;
    return this.response.write(all);
  }
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed || !response.writableNeedDrain) return resolve();
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
