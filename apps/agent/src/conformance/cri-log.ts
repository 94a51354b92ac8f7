/** CRI calls as a recording holds them, taken from the tap. */
import { rpcs } from '@syncloop/core/cri';
import type { CallEvent } from '../cri/tap.js';
import type { CriEntry, Loose } from './recording.js';

/** Calls that poll: their answers are long and say nothing. */
const polling = /^(List.*|.*Stats|Status|Version|ImageFsInfo|RuntimeConfig)$/;

/** Gathers the unary calls of one run. */
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
        request: event.request as Loose,
        tookMs: Math.round(event.tookMs),
        ...(response && !polling.test(method) && { response: withBuffers(method, response as Loose) }),
        ...(error && { error: { code: error.code, details: error.details } }),
      },
    });
  }
}

/** Bytes as Node prints a Buffer in JSON, which is what the golden recordings have. */
function withBuffers(method: string, response: Loose): Loose {
  if (method !== 'ExecSync') return response;
  const out: Record<string, unknown> = { ...response };
  for (const name of ['stdout', 'stderr']) {
    const text = out[name];
    if (typeof text === 'string') out[name] = Buffer.from(text, 'base64').toJSON();
  }
  return out;
}
