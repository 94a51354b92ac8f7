import type { NodeProps } from '@xyflow/react';
import type { ReactNode } from 'react';
import './everything.css';
import type { ExtraKey } from '../geometry/geometry-everything.js';
import {
  APIServer,
  Cgroups,
  Devices,
  Eviction,
  Lease,
  Managers,
  NodeBox,
  OOM,
  Shutdown,
  Stats,
  Volumes,
} from './node-boxes.js';
import { Backoffs, Caches, Queue } from './pods-boxes.js';
import { Absent, Allocation, ContainerGC, Deadline, Deletor, Logs } from './side-boxes.js';
import { Cleanups, Handling, Starting } from './steps-boxes.js';
import { Goroutines, Images, RuntimeUp, Startup } from './upper-boxes.js';

const BOXES: Readonly<Record<ExtraKey, () => ReactNode>> = {
  node: () => <NodeBox />,
  managers: () => <Managers />,
  cgroups: () => <Cgroups />,
  apiServer: () => <APIServer />,
  lease: () => <Lease />,
  shutdown: () => <Shutdown />,
  oom: () => <OOM />,
  stats: () => <Stats />,
  startup: () => <Startup />,
  runtimeUp: () => <RuntimeUp />,
  queue: () => <Queue />,
  caches: () => <Caches />,
  backoffs: () => <Backoffs />,
  images: () => <Images />,
  goroutines: () => <Goroutines />,
  containerGC: () => <ContainerGC />,
  deletor: () => <Deletor />,
  logs: () => <Logs />,
  allocation: () => <Allocation />,
  deadline: () => <Deadline />,
  eviction: () => <Eviction />,
  volumes: () => <Volumes />,
  devices: () => <Devices />,
  absent: () => <Absent />,
  cleanups: () => <Cleanups />,
  handling: () => <Handling />,
  starting: () => <Starting />,
};

/** A box of the Everything level, by its id. */
export function ExtraNode({ id }: NodeProps) {
  return BOXES[id as ExtraKey]?.() ?? null;
}
