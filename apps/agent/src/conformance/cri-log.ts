/** Collects the CRI calls of a recording from the tap. */

import { at, type CriEntry, type Loose, listAt } from '@syncloop/core/conformance/compare';
import { rpcs } from '@syncloop/core/cri';
import type { CallEvent } from '../cri/tap.js';

/** Calls that poll: their answers are long and say nothing. */
const polling = /^(List.*|.*Stats|Status|Version|ImageFsInfo|RuntimeConfig)$/;

/** Collects the unary calls of one run. */
export class CriLog {
  private readonly entries: { seq: number; entry: CriEntry }[] = [];
  private readonly begun = new Map<string, { seq: number; at: number }>();
  private connections = 0;

  /** `now` gives ms since the recording's start. */
  constructor(private readonly now: () => number) {}

  /** A tap for one connection; a kubelet that starts again has another one. */
  tap(): (event: CallEvent) => void {
    const connection = this.connections++;
    return (event) => {
      const key = `${connection}/${event.id}`;
      if (event.phase === 'begin') this.begun.set(key, { seq: this.begun.size, at: this.now() });
      if (event.phase === 'end' && !rpcs[event.method].streaming) this.end(key, event);
    };
  }

  /** All calls that have ended, in the order in which they began. */
  all(): CriEntry[] {
    return this.entries.toSorted((a, b) => a.seq - b.seq).map(({ entry }, seq) => ({ ...entry, seq }));
  }

  private end(key: string, event: CallEvent & { phase: 'end' }): void {
    const begun = this.begun.get(key);
    if (!begun) return;
    const method = rpcs[event.method].name;
    const { response, error } = event;
    this.entries.push({
      seq: begun.seq,
      entry: {
        seq: begun.seq,
        at: Math.round(begun.at),
        method,
        request: withBuffers(method, event.request as Loose),
        tookMs: Math.round(event.tookMs),
        ...(response && !polling.test(method) && { response: withBuffers(method, response as Loose) }),
        ...(error && { error: { code: error.code, details: error.details } }),
      },
    });
  }
}

/** Returns bytes as Node prints a Buffer in JSON, which is the form of the golden recordings. */
const buffer = (text: unknown): unknown => (typeof text === 'string' ? Buffer.from(text, 'base64').toJSON() : text);

/** Restores the bytes of messages that have any: values of environment variables, and the output of a command. */
export function withBuffers(method: string, message: Loose): Loose {
  if (method === 'ExecSync') {
    const { stdout, stderr, ...rest } = message;
    return {
      ...rest,
      ...(stdout !== undefined && { stdout: buffer(stdout) }),
      ...(stderr !== undefined && { stderr: buffer(stderr) }),
    };
  }
  const envs = listAt(message, 'config', 'envs');
  if (method !== 'CreateContainer' || envs.length === 0) return message;
  const config = {
    ...(message.config as Loose),
    envs: envs.map((env) => ({ ...(env as Loose), value: buffer(at(env, 'value')) })),
  };
  return { ...message, config };
}
