/** The parts of the graph that other features use. */
export { LAYOUTS, LEVELS, type Level } from './geometry/geometry-levels.js';
export { type MapPoint, mapPointAt } from './geometry/map-point.js';
export { Graph } from './graph.js';
export { useGraph } from './graph-store.js';
export { arrangementNow, graphView } from './graph-view.js';
export { lanes } from './lanes/lane-scroll.js';
export { actionText, containerText, stepName } from './lanes/lane-words.js';
export { type LanePart, laneOrder, lanePart } from './lanes/logic/lanes.js';
export { type LaneIndex, laneIndex } from './lanes/logic/lanes-index.js';
export type { Tick } from './lanes/logic/lanes-steps.js';
export { ContainerShape } from './lanes/sandbox.js';
export {
  channelPart,
  criPart,
  handlersPart,
  plegPart,
  podConfigPart,
  probeRows,
  selectPart,
  sourcePart,
  statusRows,
} from './parts/parts.js';
export {
  apiView,
  cgroupRows,
  devicesView,
  deviceWord,
  goesDown,
  isUp,
  managerRows,
  managerState,
  nodeView,
  podVolumes,
  signalRows,
  volumesView,
} from './parts/parts-node.js';
export { podKillerPart } from './parts/parts-pod-killer.js';
