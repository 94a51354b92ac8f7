import type { NodeProps } from '@xyflow/react';
import type { ReactNode } from 'react';
import '../../../styles/graph/everything.css';
import type { ExtraKey } from '../../../view-logic/geometry-everything.js';
import { Backoffs, Caches, Queue } from './pods-boxes.js';
import { Absent, Allocation, ContainerGC, Deadline, Deletor, Eviction, Logs, Volumes } from './side-boxes.js';
import { Goroutines, Images, RuntimeUp, Startup } from './upper-boxes.js';

const BOXES: Readonly<Record<ExtraKey, () => ReactNode>> = {
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
  absent: () => <Absent />,
};

/** A box of the Everything level, by its id. */
export function ExtraNode({ id }: NodeProps) {
  return BOXES[id as ExtraKey]?.() ?? null;
}
