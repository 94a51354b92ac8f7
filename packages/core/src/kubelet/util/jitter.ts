import type { Kernel } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';

/**
 * Returns a time between `duration` and `duration * (1 + factor)`, never shorter.
 * upstream: apimachinery util/wait Jitter
 */
export function jitter(kernel: Kernel, duration: Micros, factor: number): Micros {
  return Math.round(duration + kernel.random.float() * factor * duration);
}
