import type { TraceRecord } from '@syncloop/core/trace';
import { trace } from '../../trace/trace-store.js';
import {
  CHANNELS,
  channelY,
  LANE_COLUMNS,
  LANES,
  laneLayout,
  laneY,
  NODES,
  type Rect,
  ROW,
} from '../../view-logic/geometry.js';
import { keyOfChannel } from '../../view-logic/parts.js';
import { lanes } from './lane-scroll.js';

/** The part of the graph where a record happens, null where it has no place. */
export function placeOf(record: TraceRecord): Rect | null {
  switch (record.kind) {
    case 'source':
      return record.source === 'http' || record.source === 'api' ? NODES[record.source] : NODES.file;
    case 'pod-config':
    case 'sources-ready':
      return NODES.podConfig;
    case 'send':
    case 'receive': {
      const key = keyOfChannel(trace.state.channels[record.chan]?.name ?? '');
      if (!key) return null;
      return { x: NODES.channels.x, y: channelY(CHANNELS.indexOf(key)) - ROW / 2, w: NODES.channels.w, h: ROW };
    }
    case 'select':
      return record.g === trace.state.loop.g ? NODES.select : null;
    case 'enter':
      return record.g === trace.state.loop.g ? NODES.handlers : null;
    case 'relist':
    case 'pleg-transition':
    case 'pleg-event':
      return NODES.pleg;
    case 'status':
      return NODES.status;
    case 'probe':
    case 'probe-result':
      return NODES.probes;
    case 'pod-update':
    case 'worker':
    case 'cache-wait':
    case 'work-start':
    case 'work-done':
    case 'queue':
      return lanePlace(record.uid, 0, LANE_COLUMNS.worker);
    case 'step':
    case 'pod-actions':
    case 'backoff':
      return lanePlace(record.uid, 0, LANE_COLUMNS.worker + LANE_COLUMNS.kuberuntime);
    case 'cri-call':
    case 'cri-return':
      return record.uid
        ? lanePlace(record.uid, LANE_COLUMNS.worker + LANE_COLUMNS.kuberuntime, LANE_COLUMNS.cri + LANE_COLUMNS.node)
        : NODES.cri;
    case 'actual-sandbox':
    case 'actual-container':
      return lanePlace(
        record.uid,
        LANE_COLUMNS.worker + LANE_COLUMNS.kuberuntime + LANE_COLUMNS.cri,
        LANE_COLUMNS.node,
      );
    default:
      return null;
  }
}

function lanePlace(uid: string, from: number, w: number): Rect | null {
  const order = lanes.order();
  const i = order.indexOf(uid);
  if (i < 0) return null;
  const { height } = laneLayout(order.length);
  return { x: LANES.x + from, y: laneY(i, order.length, lanes.scrolled) - height / 2, w, h: height };
}
