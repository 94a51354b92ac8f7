import type { Kernel, TimerHandle } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';

/**
 * Sets a timer that may come from outside the kernel's steps, as from an HTTP request: notifies a driver that runs on
 * a real clock.
 */
export function setTimer(kernel: Kernel, after: Micros, fire: () => void): TimerHandle {
  const timer = kernel.addTimer(kernel.now() + after, fire);
  if (!kernel.clock.virtual) kernel.onWake?.();
  return timer;
}
