/** The inputs and handlers of syncLoop by their names, and their places in the state. */
import type { ChannelState, NodeState } from '@syncloop/core/trace';
import { useSession } from './session-store.js';

/** Handlers in the order in which the loop's channels reach them, top to bottom. */
export const HANDLERS = [
  'HandlePodAdditions',
  'HandlePodUpdates',
  'HandlePodRemoves',
  'HandlePodReconcile',
  'HandlePodSyncs',
  'HandlePodCleanups',
] as const;

/** The eight inputs of syncLoopIteration, in select order. */
export const CHANNELS = [
  'configCh',
  'plegCh',
  'syncCh',
  'livenessManager',
  'readinessManager',
  'startupManager',
  'containerManager',
  'housekeepingCh',
] as const;
export type ChannelKey = (typeof CHANNELS)[number];

/** The version since which the loop waits for an input; those that are not here it always had. */
export const INPUT_SINCE: Partial<Readonly<Record<ChannelKey, string>>> = {
  readinessManager: 'v1.21',
  startupManager: 'v1.21',
  containerManager: 'v1.31',
};

/** Such as 25 for v1.25. */
export const minorOf = (version: string): number => Number(version.slice('v1.'.length));

/** Returns true if the loop that runs does not have this input: a kubelet of another version. */
export function inputAbsent({ loop: { cases } }: NodeState, key: ChannelKey): boolean {
  if (cases.length === 0) {
    // The loop has not waited yet: its version decides.
    const since = INPUT_SINCE[key];
    const era = useSession.getState().info?.era;
    return since !== undefined && era !== undefined && minorOf(era) < minorOf(since);
  }
  // A select keeps its place for a nil channel, and no source reports which one that is.
  return !cases.includes('nil') && !cases.some((name) => keyOfChannel(name) === key);
}

const MATCH: Readonly<Record<ChannelKey, RegExp>> = {
  configCh: /^config/i,
  plegCh: /^pleg/i,
  syncCh: /^sync/i,
  livenessManager: /^liveness/i,
  readinessManager: /^readiness/i,
  startupManager: /^startup/i,
  containerManager: /^container.?manager|^cm\b/i,
  housekeepingCh: /^housekeeping/i,
};

/** The channel behind one of the loop's eight inputs: the newest of that name that is open. */
export function channelFor(state: NodeState, key: ChannelKey): ChannelState | undefined {
  // Many parts ask in each frame, and a node with many pods has hundreds of channels: looked up once per state.
  if (held.channels !== state.channels || held.seq !== state.seq)
    held = { channels: state.channels, seq: state.seq, found: channelsByKey(state) };
  return held.found.get(key);
}
let held: {
  readonly channels: NodeState['channels'] | null;
  readonly seq: number;
  readonly found: ReadonlyMap<ChannelKey, ChannelState>;
} = { channels: null, seq: -1, found: new Map() };

function channelsByKey(state: NodeState): Map<ChannelKey, ChannelState> {
  const found = new Map<ChannelKey, ChannelState>();
  for (const id of Object.keys(state.channels)) {
    const c = state.channels[id] as ChannelState;
    for (const key of CHANNELS) {
      if (!MATCH[key].test(c.name)) continue;
      const other = found.get(key);
      const exact = c.name === key;
      if (!other || (exact && other.name !== key) || (exact === (other.name === key) && c.id > other.id))
        found.set(key, c);
    }
  }
  return found;
}

/** Returns which of the eight inputs a channel's name stands for. */
export function keyOfChannel(name: string): ChannelKey | undefined {
  return CHANNELS.find((k) => k === name) ?? CHANNELS.find((k) => MATCH[k].test(name));
}

/** handleProbeSync ends in HandlePodSyncs, and is there. */
export function handlerIndex(fn: string): number {
  const name = fn.replace(/^.*\./, '');
  if (name === 'handleProbeSync') return HANDLERS.indexOf('HandlePodSyncs');
  return (HANDLERS as readonly string[]).indexOf(name);
}
