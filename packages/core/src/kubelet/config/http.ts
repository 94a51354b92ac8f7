import type { Pod } from '../../api/types.js';
import { parseManifest } from '../../api/yaml.js';
import { messageOf } from '../../base/index.js';
import type { ProbeTransport } from '../../host/os.js';
import {
  type Chan,
  type Context,
  frame,
  type Go,
  type Kernel,
  type Process,
  Second,
  send,
  sleep,
} from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { defaultGates, type FeatureConfig } from '../features.js';
import { Logger } from '../klog.js';
import { printableURL } from '../util/printable-url.js';
import {
  type DecodeResult,
  type DefaultsOptions,
  maxConfigLength,
  type OnDecoded,
  tryDecodePod,
  tryDecodeSinglePod,
} from './common.js';
import type { SourceUpdate } from './mux.js';

/** upstream: pkg/kubelet/config/http.go NewSourceURL */
const timeout = 10 * Second;
/** Characters of an answer that an error repeats: upstream repeats all of it. */
const shownLength = 1024;

export interface SourceURLDeps {
  readonly kernel: Kernel;
  readonly ctx: Context;
  readonly transport: Pick<ProbeTransport, 'httpGet'>;
  readonly url: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  readonly nodeName: string;
  /** Default: as they are by default. */
  readonly gates?: FeatureConfig;
  readonly onDecoded?: OnDecoded;
  /** Between two requests. upstream: httpCheckFrequency */
  readonly period: Micros;
  readonly updates: Chan<SourceUpdate>;
  readonly process?: Process;
}

/** Reads pods from a URL, again and again. upstream: pkg/kubelet/config/http.go NewSourceURL */
export function newSourceURL(deps: SourceURLDeps): void {
  const source = new SourceURL(deps);
  const run = source.run();
  deps.kernel.go('sourceURL', () => run, {
    place: 'http',
    daemon: true,
    ...(deps.process && { process: deps.process }),
  });
}

class SourceURL {
  private readonly log: Logger;
  private data = '';
  private failureLogs = 0;
  /** The URL for logs, records and errors, without credentials and query. */
  private readonly url: string;
  constructor(private readonly deps: SourceURLDeps) {
    this.log = new Logger(deps.kernel, 'http.go');
    this.url = printableURL(deps.url);
  }

  *run(): Go<void> {
    const { period } = this.deps;
    const { url } = this;
    this.log.info(1, 'Watching URL', { URL: url });
    for (;;) {
      try {
        yield* frame('extractFromURL', { url }, () => this.extractFromURL());
        if (this.failureLogs > 0) this.log.info(0, 'Successfully read pods from URL');
        this.failureLogs = 0;
      } catch (err) {
        // Once is news, three times is enough.
        const kv = { err: messageOf(err) };
        if (this.failureLogs < 3) this.log.info(0, 'Failed to read pods from URL', kv);
        else if (this.failureLogs === 3)
          this.log.info(0, 'Failed to read pods from URL. Dropping verbosity of this message to V(4)', kv);
        else this.log.info(4, 'Failed to read pods from URL', kv);
        this.failureLogs++;
      }
      yield* sleep(period);
    }
  }

  /** upstream: pkg/kubelet/config/http.go (*sourceURL).extractFromURL */
  private *extractFromURL(): Go<void> {
    const { transport, ctx, updates, nodeName, gates = defaultGates, onDecoded } = this.deps;
    const { url } = this;
    const { status, body, statusText } = yield* transport.httpGet(ctx, {
      ...parts(this.deps.url),
      headers: this.deps.headers ?? [],
      timeout,
      maxBody: maxConfigLength,
    });
    if (status !== 200) throw new Error(`${url}: ${status} ${statusText ?? ''}`.trimEnd());
    if (body === '') {
      yield* send(updates, { pods: [] });
      throw new Error(`zero-length data received from ${url}`);
    }
    // Upstream's own oddity: a body that cannot be read is an error only once.
    if (body === this.data) return;
    this.data = body;
    const options: DefaultsOptions = {
      source: this.deps.url,
      isFile: false,
      nodeName,
      gates,
      ...(onDecoded && { onDecoded }),
    };
    const single = tryDecodeSinglePod(body, options);
    if (!('error' in single)) {
      yield* send(updates, { pods: [single.pod] });
      return;
    }
    if (single.parsed) throw single.error;
    const list = tryDecodePodList(body, options);
    if (!('error' in list)) {
      yield* send(updates, { pods: list.pods });
      return;
    }
    if (list.parsed) throw list.error;
    const shown = body.length > shownLength ? `${body.slice(0, shownLength)}...` : body;
    throw new Error(
      `${url}: received '${shown}', but couldn't parse as single (${single.error.message}) or multiple pods (${list.error.message})`,
    );
  }
}

type ListResult = { readonly parsed: true; readonly pods: Pod[] } | { readonly parsed: boolean; readonly error: Error };

/** upstream: common.go tryDecodePodList */
function tryDecodePodList(data: string, options: DefaultsOptions): ListResult {
  let value: unknown;
  try {
    value = parseManifest(data);
  } catch (err) {
    return { parsed: false, error: err as Error };
  }
  const { kind, apiVersion, items } = (value ?? {}) as { kind?: unknown; apiVersion?: unknown; items?: unknown };
  if (kind !== 'PodList' || apiVersion !== 'v1' || !Array.isArray(items))
    return { parsed: false, error: new Error('not a v1 PodList') };
  const pods: Pod[] = [];
  for (const item of items) {
    const result: DecodeResult = tryDecodePod({ apiVersion: 'v1', kind: 'Pod', ...(item as object) }, options);
    if ('error' in result) return { parsed: result.parsed, error: result.error };
    pods.push(result.pod);
  }
  return { parsed: true, pods };
}

/** The parts of a URL, as the transport takes them; throws if the URL is invalid. */
function parts(url: string): { scheme: 'http' | 'https'; host: string; port: number; path: string } {
  const m = /^(https?):\/\/(?:[^@/?#]*@)?(\[[^\]]+\]|[^:/?#]+)(?::(\d+))?([^#]*)/.exec(url);
  if (!m) throw new Error(`parse ${JSON.stringify(printableURL(url))}: invalid URL`);
  const scheme = m[1] as 'http' | 'https';
  const host = (m[2] as string).replace(/^\[|\]$/g, '');
  return { scheme, host, port: m[3] ? Number(m[3]) : scheme === 'https' ? 443 : 80, path: m[4] || '/' };
}
