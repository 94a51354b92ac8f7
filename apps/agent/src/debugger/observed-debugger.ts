/** The debugger's page about a kubelet that is observed from outside: it is only shown. */
import { setTimeout as delay } from 'node:timers/promises';
import { initialState, type NodeState, reduce } from '@syncloop/core/trace';
import { UsedCodeStore } from '../links/used-code-store.js';
import { ownAddress } from '../net/own-address.js';
import { newToken } from '../net/token.js';
import type { RecordFeed } from '../recording/record-feed.js';
import { FrameRing } from './frame-ring.js';
import { frame, frameType } from './frames.js';
import { type LiveNode, liveInfo } from './live-info.js';
import { DebuggerSupervisor, type SupervisorOptions } from './supervisor.js';

export interface ObservedDebuggerOptions extends Omit<LiveNode, 'control'> {
  readonly epochMillis: number;
  readonly port: number;
  readonly webRoot: string;
  /** The advice about a taken port, for the error's message. */
  readonly remedy: string;
  readonly warn: (text: string) => void;
  /** The token, if the pages have one already. Default: a new one. */
  readonly token?: string;
  /** The file with the codes of used links, needed if the token outlives this process. Default: no file. */
  readonly usedCodesFile?: string;
  /** The page is reached through other ports of loopback, too. */
  readonly forwarded?: boolean;
  /** For tests. */
  readonly limits?: SupervisorOptions['limits'];
}

const host = '127.0.0.1';
/** Bytes of frames that are kept for a debugger's process that starts again. */
const ringBytes = 4 * 1024 * 1024;
/**
 * Records that are faster than the process wait from this many bytes on; the time between two looks at whether they may
 * go on, ms.
 */
const mostBehind = 1024 * 1024;
const lookMillis = 20;

export class ObservedDebugger {
  readonly token: string;
  private readonly state: NodeState = initialState();
  private readonly ring: FrameRing;
  private supervisor: DebuggerSupervisor | null = null;

  /** Keeps the records of the feed for the page from now on. */
  constructor(
    feed: RecordFeed,
    private readonly options: ObservedDebuggerOptions,
  ) {
    this.token = options.token ?? newToken();
    this.ring = new FrameRing(this.state, { maxBytes: ringBytes });
    feed.onRecord((record) => reduce(this.state, record));
    feed.onBatch((batch) => {
      this.ring.push(frame(frameType.records, batch.json));
      this.supervisor?.flush();
    });
  }

  /** The same when its process is started again, so that open pages find it. */
  private own: string | null = null;

  /** Starts to serve. Rejects with a SetupError when it cannot. */
  async serve(): Promise<void> {
    const { port, webRoot, remedy, epochMillis, warn, limits, forwarded, usedCodesFile, ...node } = this.options;
    const { token } = this;
    // If a port is forwarded, the user chooses the address.
    if (!forwarded) this.own = await ownAddress();
    this.supervisor = await DebuggerSupervisor.start({
      request: {
        info: liveInfo({ ...node, control: true, observed: true }, epochMillis),
        ...{ host, port, remedy, webRoot, token },
        ...(this.own !== null && { address: this.own }),
        // The position in the observed run can be changed; nothing else can be done.
        control: true,
        observer: token,
        ...(forwarded && { forwarded }),
        capacity: 0,
      },
      ring: this.ring,
      codes: new UsedCodeStore({ warn, ...(usedCodesFile !== undefined && { file: usedCodesFile }) }),
      runState: () => {
        const { seq, time, counts } = this.state;
        return {
          running: true,
          seq,
          time,
          steps: 0,
          iterations: counts.iterations,
          speed: { mode: 'time', factor: 1 },
          choice: null,
          next: '',
          stopped: '',
          hits: [],
        };
      },
      takeWritten: () => [],
      execute: (command, reply) =>
        reply({ ok: false, error: `${command.do} is not possible: this kubelet can only be watched` }),
      uncontrolled: () => {},
      ended: (why, waitMillis) =>
        warn(
          `the page's process ended: ${why}; it starts again in ${Math.round(waitMillis / 100) / 10} s, at the same URL`,
        ),
      ...(limits && { limits }),
    });
  }

  /** Resolves when more records may come: those that came are on their way. */
  async ready(): Promise<void> {
    while ((this.supervisor?.behind ?? 0) > mostBehind) await delay(lookMillis);
  }

  /** The address of its server; port 0 until it listens. */
  get address(): { readonly host: string; readonly address?: string; readonly port: number } {
    return { host, ...(this.own !== null && { address: this.own }), port: this.supervisor?.listening ?? 0 };
  }
  /** The process that serves, if one does. */
  get pid(): number | undefined {
    return this.supervisor?.pid;
  }

  async close(): Promise<void> {
    await this.supervisor?.close();
  }
}
