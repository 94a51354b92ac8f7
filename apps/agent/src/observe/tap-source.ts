import { connect, type Socket } from 'node:net';
import { EvidenceLinesReader, type Source } from '@syncloop/observe';
import { ignoreErrors } from '../base/ignore-errors.js';
import { BackOff } from './back-off.js';
import type { Emit, EvidenceSource, Say } from './source.js';

/** The calls between the kubelet and its runtime, from a `syncloop tap` that runs on this node. */
export class TapSource implements EvidenceSource {
  readonly source: Source;
  private socket: Socket | null = null;
  private again: NodeJS.Timeout | null = null;
  private stopped = false;
  private lost = false;

  /** Reads a tap. `path`: the socket at which the tap sends decoded evidence. */
  constructor(
    id: string,
    private readonly path: string,
    private readonly backOff = new BackOff(),
  ) {
    this.source = { id, kind: 'cri', name: path };
  }

  start(emit: Emit, say: Say): void {
    const { path, source } = this;
    const socket = ignoreErrors(connect(path));
    this.socket = socket;
    // A line that an end has cut is of one connection only.
    const reader = new EvidenceLinesReader(source.id);
    let why = 'it was closed';
    socket.on('connect', () => {
      this.backOff.reset();
      if (!this.lost) return;
      this.lost = false;
      say(`The tap at ${path} answers again; calls in between are missing.`, true);
      void emit([{ kind: 'gap', source: source.id, at: null, place: {}, why: 'The tap did not answer for a while.' }]);
    });
    socket.on('data', (bytes) => {
      socket.pause();
      void emit(reader.push(bytes)).then(() => socket.resume());
    });
    socket.on('error', (err: NodeJS.ErrnoException) => {
      why =
        err.code === 'ENOENT' || err.code === 'ECONNREFUSED'
          ? 'no tap listens there: start syncloop tap with --evidence'
          : err.code === 'EACCES'
            ? 'this user may not: run as the user of the tap, root'
            : err.message;
    });
    socket.on('close', () => {
      this.socket = null;
      if (this.stopped) return;
      if (!this.lost) say(`The tap at ${path} does not answer: ${why}. It is tried again.`);
      this.lost = true;
      this.again = setTimeout(() => this.start(emit, say), this.backOff.next());
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.again) clearTimeout(this.again);
    this.socket?.destroy();
  }
}
