/** The pod killer of kubelets up to v1.21, as the run reports it. */
import type { ChannelState, GoroutineView, NodeState } from '@syncloop/core/trace';

/** The channel through which handlers and housekeeping ask for the end of pods. */
export const POD_KILLING_CHANNEL = 'podKillingCh';
/** The goroutine that drains it. */
const DRAINER = 'podKiller';
/** The goroutine that it starts for each pod: `podKiller NAMESPACE/NAME`. */
export const KILL = /^podKiller (\S+\/\S+)$/;

/** Returns the channel of the kubelet that runs, or of the last one that did; undefined in versions that have none. */
export function podKillingChannel(state: NodeState): ChannelState | undefined {
  if (held.channels === state.channels && held.seq === state.seq) return held.found;
  let found: ChannelState | undefined;
  for (const id of Object.keys(state.channels)) {
    const c = state.channels[id] as ChannelState;
    if (c.name === POD_KILLING_CHANNEL && c.id > (found?.id ?? 0)) found = c;
  }
  held = { channels: state.channels, seq: state.seq, found };
  return found;
}
let held: {
  readonly channels: NodeState['channels'] | null;
  readonly seq: number;
  readonly found: ChannelState | undefined;
} = { channels: null, seq: -1, found: undefined };

export const hasPodKiller = (state: NodeState): boolean => podKillingChannel(state) !== undefined;

const alive = (state: NodeState): GoroutineView[] => Object.values(state.goroutines).filter((g) => g.state !== 'dead');

/** The goroutine that takes from the channel, 0 if none runs. */
export const podKillerGoroutine = (state: NodeState): number => alive(state).find((g) => g.name === DRAINER)?.id ?? 0;

/** The goroutines that kill a pod now, oldest first. */
export const killsUnderWay = (state: NodeState): GoroutineView[] => alive(state).filter((g) => KILL.test(g.name));

/** All of its goroutines that the state still knows, ended ones too. */
export const isOfPodKiller = (name: string): boolean => name === DRAINER || KILL.test(name);
