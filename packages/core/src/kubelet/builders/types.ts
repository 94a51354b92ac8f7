import type { NodeInfo, OSInterface } from '../../host/os.js';
import type { Kernel } from '../../kernel/index.js';
import type { KubeletConfig } from '../config.js';
import type { EventRecorder } from '../events.js';

/** What is there before the first part is built, and what nearly all of them take. */
export interface Foundation {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly os: OSInterface;
  readonly nodeInfo: NodeInfo;
  readonly recorder: EventRecorder;
}
