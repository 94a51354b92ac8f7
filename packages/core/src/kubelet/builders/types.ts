import type { NodeInfo, OSInterface } from '../../host/os.js';
import type { Kernel } from '../../kernel/index.js';
import type { KubeletConfig } from '../config.js';
import type { EventRecorder } from '../events.js';
import type { KubeletParts } from '../parts/types.js';

/** The parts that exist before the first one is built, and that nearly all take. */
export interface Foundation {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly os: OSInterface;
  readonly nodeInfo: NodeInfo;
  readonly recorder: EventRecorder;
  /** Parts that other code decides in. */
  readonly parts: KubeletParts;
}
