/** The debugger of a kubelet in this process: the brake is here, everything else is in a process of its own. */
import type { Kernel } from '@syncloop/core/kernel';
import type { RealDriver } from '@syncloop/core/kernel/real-clock';
import type { RecordBody } from '@syncloop/core/trace';
import { ownAddress } from '../net/own-address.js';
import { newToken } from '../net/token.js';
import type { RecordFeed } from '../recording/record-feed.js';
import { Brake } from './brake.js';
import { FrameRing } from './frame-ring.js';
import { frame, frameType } from './frames.js';
import { type LiveNode, liveInfo } from './live-info.js';
import { DebuggerSupervisor, type SupervisorOptions } from './supervisor.js';

export interface LiveDebuggerOptions extends LiveNode {
  readonly port: number;
  readonly webRoot: string;
  /** The advice about a taken port, for the error's message. */
  readonly remedy: string;
  /** Reports something to whoever runs the kubelet. */
  readonly warn: (text: string) => void;
  /** For tests. */
  readonly limits?: SupervisorOptions['limits'];
}

const host = '127.0.0.1';
/**
 * Records that the debugger's process keeps: those that a page gets when it comes late (50,000), and some to ask about.
 */
const capacity = 65_536;

export class LiveDebugger {
  /** The token that allows the most. */
  readonly token = newToken();
  /** The token of a read-only page; the same as the other if nobody may do more. */
  readonly observer: string;
  private readonly brake: Brake;
  private readonly ring: FrameRing;
  private supervisor: DebuggerSupervisor | null = null;
  private flushing = false;

  /** Keeps the records of the feed for the debugger from now on. */
  constructor(
    private readonly kernel: Kernel,
    driver: RealDriver,
    private readonly feed: RecordFeed,
    private readonly options: LiveDebuggerOptions,
  ) {
    this.observer = options.control ? newToken() : this.token;
    this.brake = new Brake(kernel, driver, {
      control: options.control,
      changed: () => this.flushSoon(),
      emit: (body) => this.emit(body),
    });
    this.ring = new FrameRing(this.brake.state);
    feed.onRecord((record) => this.brake.see(record));
    feed.onBatch((batch) => {
      this.ring.push(frame(frameType.records, batch.json));
      this.supervisor?.flush();
    });
  }

  /** The same when its process is started again, so that open pages find it. */
  private own: string | null = null;

  /** Starts to serve. Rejects with a SetupError when it cannot. */
  async serve(): Promise<void> {
    const { options, kernel } = this;
    const { control, port, webRoot, remedy } = options;
    this.own = await ownAddress();
    this.supervisor = await DebuggerSupervisor.start({
      request: {
        info: liveInfo(options, kernel.clock.epochMillis),
        ...{ host, port, remedy, webRoot, control, capacity },
        ...(this.own !== null && { address: this.own }),
        token: this.token,
        observer: this.observer,
      },
      ring: this.ring,
      runState: () => this.brake.runState(),
      takeWritten: () => this.brake.takeWritten(),
      execute: (command, reply) =>
        this.brake.execute(command, (result) => {
          // A client that reads the answer has been sent the records that led to it.
          this.flush();
          reply(result);
        }),
      // A node must not stay paused because somebody closed a laptop, even if others still watch.
      uncontrolled: () => this.brake.release(),
      ended: (why, waitMillis) => this.ended(why, waitMillis),
      ...(options.limits && { limits: options.limits }),
    });
  }

  /** The address of its server; port 0 until it listens. */
  get address(): { readonly host: string; readonly address?: string; readonly port: number } {
    return { host, ...(this.own !== null && { address: this.own }), port: this.supervisor?.listening ?? 0 };
  }

  async close(): Promise<void> {
    this.brake.close();
    await this.supervisor?.close();
  }

  /** Once for all that changes within a decision of the kubelet. */
  private flushSoon(): void {
    if (this.flushing) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      this.flush();
    });
  }

  private flush(): void {
    this.feed.flush();
    this.supervisor?.flush();
  }

  private ended(why: string, waitMillis: number): void {
    const seconds = Math.round(waitMillis / 100) / 10;
    this.options.warn(
      `the debugger's process ended: ${why}; the kubelet goes on, and starts it again in ${seconds} s, at the same URL`,
    );
    this.emit({
      kind: 'log',
      severity: 'W',
      v: 0,
      msg: "The debugger's process ended; the kubelet goes on and starts it again",
      kv: { why, seconds },
      file: 'live-debugger.ts',
    });
  }

  /** Must not be called while a record is being written. */
  private emit(body: RecordBody): void {
    setImmediate(() => void this.kernel.emit(body));
  }
}
