import type { Kernel, TimerHandle } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';

/**
 * A timer that may be set from outside the kernel's steps, as an HTTP request does: a driver on a real clock is told.
 */
export function setTimer(kernel: Kernel, after: Micros, fire: () => void): TimerHandle {
  const timer = kernel.addTimer(kernel.now() + after, fire);
  if (!kernel.clock.virtual) kernel.onWake?.();
  return timer;
}
