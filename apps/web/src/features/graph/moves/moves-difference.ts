/** The places on the map where a difference between an observed run and its twin arose. */
import type { NodeState } from '@syncloop/core/trace';
import type { DecisionPlace } from '../../../run/counterpart.js';
import { CHANNELS, type ChannelKey } from '../../../run/loop.js';
import type { LaneColumn, Spot } from './moves-spots.js';

const box = (id: Extract<Spot, { at: 'box' }>['id']): Spot => ({ at: 'box', id });
const channel = (key: ChannelKey): Spot => ({ at: 'channel', key });

/** Returns the box, the channel or the column of the pod's lane; a pod without a lane has its call's box at most. */
export function spotsOfDecision(state: NodeState, { kind, what, pod, incarnation }: DecisionPlace): readonly Spot[] {
  const own = Object.values(state.pods).filter((p) => p.pod === pod);
  const uid = (own[incarnation] ?? own.at(-1))?.uid;
  const lane = (column: LaneColumn): readonly Spot[] => (uid === undefined ? [] : [{ at: 'lane', uid, column }]);
  switch (kind) {
    case 'config':
      return [box('podConfig'), channel('configCh')];
    case 'pleg':
      return [box('pleg'), channel('plegCh')];
    case 'sync': {
      const probe = CHANNELS.find((key) => key === `${what.split(' ')[0]}Manager`);
      return probe ? [box('probes'), channel(probe)] : lane('worker');
    }
    case 'call':
      return [...lane('call'), box('cri')];
    case 'kill':
      return lane('runtime');
    case 'restart':
      return lane('node');
    case 'status':
      return [box('status')];
    case 'event':
      return [box('events')];
  }
}
