import type { Command, RunState, SessionInfo } from '@syncloop/core/debug';
import type { NodeState } from '@syncloop/core/trace';
import { type CommandId, tryCommand } from '../commands/index.js';
import { useSession } from '../run/session-store.js';
import { trace } from '../run/trace-store.js';
import { session } from '../session/session.js';

/** The hooks for tests with `?testing=1`; not for anything else. */
export interface TestHooks {
  idle(): boolean;
  readonly run: RunState;
  readonly info: SessionInfo | null;
  readonly state: NodeState;
  command(id: CommandId, arg?: unknown): Promise<void>;
  /** A command of the session itself; its value, or an Error with its reason. */
  ask(command: Command): Promise<unknown>;
  /** Resolves once the session has reacted; null if its connection cannot tell. */
  ping(): Promise<void> | null;
}

declare global {
  interface Window {
    __syncloop?: TestHooks;
  }
}

export function exposeForTests(): void {
  if (new URLSearchParams(location.search).get('testing') !== '1') return;
  window.__syncloop = {
    idle: () => session.idle && useSession.getState().phase === 'ready',
    get run() {
      return useSession.getState().run;
    },
    get info() {
      return useSession.getState().info;
    },
    get state() {
      return trace.state;
    },
    command: (id, arg) => (tryCommand as (id: CommandId, arg?: unknown) => Promise<void>)(id, arg),
    ask: (asked) => session.command(asked),
    ping: () => session.ping(),
  };
}
