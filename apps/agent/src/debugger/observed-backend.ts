import type { SessionInfo, SessionServer } from '@syncloop/core/debug/live';
import { redactRecord } from '@syncloop/core/redaction';
import { cloneState, type NodeState, type TraceRecord } from '@syncloop/core/trace';
import { ObservedSession } from '@syncloop/observe/session';
import { TwinSession } from '@syncloop/observe/twin/session';
import { loadTwinTools } from '../server/load-twin-tools.js';
import { SessionPump } from '../server/session-pump.js';

/** Records kept as they are, bytes of those that are packed, and records that one question looks at. */
const HELD = { capacity: 16_384, chunk: 2048, past: 16 * 1024 * 1024, mostAsked: 60_000 };

/**
 * The session of a kubelet that is observed from outside. Its records come from another process; pause, step and go
 * move the view of them, and nothing else.
 */
export class ObservedBackend {
  /** The session that is served: the observed run, and its twin once somebody asks for one. */
  readonly session: TwinSession;
  private readonly observed: ObservedSession;
  private readonly pump: SessionPump;

  /** `server`: known later, since it is made from the session. */
  constructor(info: SessionInfo, state: NodeState, server: () => SessionServer | null) {
    const { id, title, node, runtime, epochMillis } = info;
    this.observed = new ObservedSession([], {
      ...HELD,
      id,
      title,
      of: { node, runtime, epochMillis },
      pace: 'live',
      // A state that came as JSON has maps with a prototype.
      ...(state.seq > 0 && { state: cloneState(state) }),
    });
    this.session = new TwinSession(this.observed, () => loadTwinTools(redactRecord));
    this.pump = new SessionPump(this.session, server);
  }

  take(records: readonly TraceRecord[]): void {
    this.observed.take(records);
  }
  /** Records before this state were not kept for us: there is a hole. */
  restate({ seq, time }: NodeState): void {
    const from = this.observed.newest + 1;
    if (seq >= from) this.observed.take([{ seq, time, g: 0, span: 0, cause: 0, kind: 'gap', from, to: seq }]);
  }
  clients(count: number): void {
    this.pump.clients(count);
  }
  close(): void {
    this.pump.stop();
  }
}
