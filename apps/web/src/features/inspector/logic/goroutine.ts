/** A goroutine in readable form: what it waits for, and its calls. Pure. */
import type { Json, NodeState, Seq, Wait } from '@syncloop/core/trace';
import { argsLabel } from '../../../units/text.js';

export interface GoroutineCard {
  readonly name: string;
  readonly process: string;
  readonly state: 'runnable' | 'waiting' | 'dead';
  readonly since: number;
  readonly uid: string;
  readonly pod: string;
  readonly wait: WaitCard | null;
  /** Innermost call first. */
  readonly calls: readonly { readonly seq: Seq; readonly fn: string; readonly args: string }[];
}
export interface WaitCard {
  readonly op: Wait['op'];
  /** Channels by name; `nil` for a nil one. */
  readonly channels: readonly { readonly name: string; readonly id: number; readonly sends: boolean }[];
  /** The name of the lock, the condition or the call. */
  readonly name: string;
  readonly until: number | null;
}

/** The goroutine of that number, null if it is no longer known. */
export function goroutineCard(state: NodeState, id: number): GoroutineCard | null {
  const g = state.goroutines[id];
  if (!g) return null;
  return {
    name: g.name,
    process: g.process,
    state: g.state,
    since: g.since,
    uid: g.uid,
    pod: g.uid === '' ? '' : (state.pods[g.uid]?.pod ?? ''),
    wait: g.wait && waitCard(state, g.wait),
    calls: g.stack.map((c) => ({ seq: c.seq, fn: c.fn, args: argsText(c.args) })).reverse(),
  };
}

function waitCard(state: NodeState, wait: Wait): WaitCard {
  const channels = (wait.chans ?? []).map((id, i) => ({
    id,
    name: id === 0 ? 'nil' : (state.channels[id]?.name ?? `chan ${id}`),
    sends: wait.op === 'send' || (wait.sends?.includes(i) ?? false),
  }));
  return { op: wait.op, channels, name: wait.name ?? '', until: wait.until ?? null };
}

const MOST = 80;
/** Puts a function's arguments into one line. */
export function argsText(args: Json): string {
  const label = argsLabel(args);
  if (label !== '' && label !== Object.keys(typeof args === 'object' && args !== null ? args : {}).join(' '))
    return cut(label);
  if (typeof args !== 'object' || args === null) return args === null ? '' : cut(String(args));
  const parts = Object.entries(args as { readonly [key: string]: Json | undefined })
    .filter(([, v]) => v !== undefined && v !== null && v !== '')
    .map(([k, v]) => `${k}=${typeof v === 'object' ? (Array.isArray(v) ? `[${v.length}]` : '{…}') : String(v)}`);
  return cut(parts.join(' '));
}
const cut = (text: string): string => (text.length > MOST ? `${text.slice(0, MOST - 1)}…` : text);
