import type { PartName } from '@syncloop/core/kubelet/parts';
import { backOff } from './back-off.js';
import { killContainer } from './kill-container.js';
import { plegEvents } from './pleg-events.js';
import { podActions } from './pod-actions.js';
import { podStatus } from './pod-status.js';
import { probeResult } from './probe-result.js';
import type { Seam } from './seam.js';

/** The parts that can be written, by name. */
export const seams: { readonly [K in PartName]: Seam<unknown> } = {
  plegEvents,
  podActions,
  backOff,
  probeResult,
  podStatus,
  killContainer,
};

export const seamOf = (part: PartName): Seam<unknown> => seams[part];
