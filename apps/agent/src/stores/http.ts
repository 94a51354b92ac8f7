/** Requests to a store of logs. */
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { SetupError } from '../base/errors.js';

export interface StoreOptions {
  /** Value of the header `Authorization`. */
  readonly authorization?: string;
  /** More headers, such as `X-Scope-OrgID`. */
  readonly headers?: { readonly [name: string]: string };
  /** Certificates that are trusted, PEM; those of the system if absent. */
  readonly ca?: string;
  /** Takes sentences about attempts that failed. */
  readonly say?: (sentence: string) => void;
  /** Waits. Default: real time. */
  readonly pause?: (millis: number) => Promise<unknown>;
  /** Time without a byte after which a request counts as failed, ms. */
  readonly idleMillis?: number;
  /** Largest answer that is kept in memory, bytes. */
  readonly mostBytes?: number;
  readonly signal?: AbortSignal;
}

export interface StoreRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

/** An answer that is not a success. */
export class StoreError extends SetupError {
  constructor(
    message: string,
    readonly status: number,
    /** The first words of the answer. */
    readonly words: string,
  ) {
    super(message);
  }
}

const IDLE = 30_000;
const MOST = 64 * 1024 * 1024;
const WORDS = 300;
/** Waits before the next attempts, ms. */
const WAITS = [500, 1000, 2000, 4000, 8000];
/** The longest wait that a server may ask for, ms. */
const LONGEST_WAIT = 60_000;

/** An attempt that failed, and may succeed the next time. */
class Again extends Error {
  constructor(
    message: string,
    /** The wait that the server asks for, ms. */
    readonly wanted: number | null = null,
  ) {
    super(message);
  }
}

/** Resolves with the bytes of a successful answer, after up to six attempts. Throws a SetupError. */
export async function answerOf(one: StoreRequest, options: StoreOptions): Promise<Buffer> {
  const { mostBytes = MOST } = options;
  return await attempts(one.url, options, async () => {
    const chunks: Buffer[] = [];
    let length = 0;
    const response = await opened(one, options);
    for await (const chunk of bytesOf(response, one.url)) {
      length += chunk.length;
      if (length > mostBytes) {
        response.destroy();
        throw new SetupError(
          `${shown(one.url)} answers with more than ${mostBytes} bytes at once: ask for smaller pages with --page`,
        );
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  });
}

/** The same, parsed. Throws a SetupError if it is not JSON. */
export async function jsonOf(one: StoreRequest, options: StoreOptions): Promise<unknown> {
  const text = (await answerOf(one, options)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new SetupError(
      `${shown(one.url)} answers with something else than JSON: ${words(text)}; is it the address of the store itself?`,
    );
  }
}

/** Counts attempts, and waits before the next one. */
export class Attempts {
  private failed = 0;

  constructor(
    private readonly url: URL,
    private readonly options: StoreOptions,
  ) {}

  /** The last attempt has come farther: as many attempts as at first may follow. */
  renew(): void {
    this.failed = 0;
  }

  /** Waits after an attempt that failed. Throws if another attempt would not change that, or after the sixth. */
  async after(error: unknown): Promise<void> {
    const { pause = wait, say } = this.options;
    if (!(error instanceof Again)) throw error;
    const millis = WAITS[this.failed++];
    if (millis === undefined)
      throw new SetupError(`${shown(this.url)} did not answer in ${WAITS.length + 1} attempts: ${error.message}`);
    const asked = Math.min(Math.max(error.wanted ?? 0, millis), LONGEST_WAIT);
    say?.(`${error.message}; attempt ${this.failed + 1} in ${asked / 1000} s`);
    await pause(asked);
  }
}

async function attempts<T>(url: URL, options: StoreOptions, attempt: () => Promise<T>): Promise<T> {
  const count = new Attempts(url, options);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      await count.after(error);
    }
  }
}

/** Resolves with an answer of status 2xx, whose bytes have not been read. Throws `Again`, or a StoreError. */
export async function opened(
  { method = 'GET', url, headers, body }: StoreRequest,
  { authorization, headers: more, ca, idleMillis = IDLE, signal }: StoreOptions,
): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send(
      url,
      {
        method,
        headers: {
          accept: '*/*',
          'user-agent': 'syncloop',
          ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...more,
          ...headers,
          ...(authorization !== undefined && { authorization }),
        },
        agent: false,
        ...(ca !== undefined && { ca }),
        ...(signal && { signal }),
      },
      resolve,
    );
    sent.setTimeout(idleMillis, () => sent.destroy(new Error(`no byte came within ${idleMillis / 1000} s`)));
    sent.on('error', reject);
    sent.end(body);
  }).catch((error: NodeJS.ErrnoException) => {
    if (signal?.aborted) throw error;
    if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(error.code ?? ''))
      throw new SetupError(
        `${shown(url)} has a certificate that is not trusted (${error.message}): give its authority with --ca-file`,
      );
    if (error.code === 'ENOTFOUND') throw new SetupError(`${shown(url)} is not a known host: look at the address`);
    throw new Again(`${shown(url)}: ${error.message}`);
  });
  const { statusCode: status = 0 } = response;
  if (status >= 200 && status < 300) return response;
  const text = words(await startOf(response));
  const after = retryAfter(response.headers['retry-after']);
  if (status === 429 || status === 408 || status >= 500)
    throw new Again(`${shown(url)} answers ${status}${text && ` (${text})`}`, after);
  throw new StoreError(
    `${shown(url)} answers ${status}${text && ` (${text})`}${remedy(status, response)}`,
    status,
    text,
  );
}

/** The bytes of an answer. A connection that is cut, or falls silent, is worth another attempt. */
export async function* bytesOf(response: IncomingMessage, url: URL): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of response) yield chunk as Buffer;
    if (!response.complete) throw new Error('the connection was cut');
  } catch (error) {
    if (error instanceof SetupError) throw error;
    throw new Again(`${shown(url)}: ${(error as Error).message}`);
  } finally {
    response.destroy();
  }
}

/** An address as it may be printed: a presigned one has its rights in its query. */
export const shown = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`;

const words = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, WORDS);

async function startOf(response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response) {
      text += String(chunk);
      if (text.length > 4096) break;
    }
  } catch {
    // The status says enough.
  }
  response.destroy();
  return text;
}

/** Milliseconds of `Retry-After`: seconds, or a date. */
function retryAfter(value: string | undefined): number | null {
  if (value === undefined) return null;
  if (/^\d{1,6}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

function remedy(status: number, { headers }: IncomingMessage): string {
  if (status === 401 || status === 403)
    return ': give credentials that may read it with --token-file, --basic-auth-file or --header-file';
  if (status >= 300 && status < 400)
    return `: it leads to ${String(headers.location ?? 'another address')}, and credentials are sent only to the address that was given: give that one`;
  if (status === 404) return ': look at the address, and at what it is an address of';
  return '';
}
