import { parseDuration as signed } from '../base/index.js';
import type { Micros } from '../trace/index.js';

/** A duration as Go writes it (`1m30s`, `1.5s`, `0`), without sign, in Micros; null where it is none. */
export const parseDuration = (text: string): Micros | null => (/^[+-]/.test(text) ? null : signed(text));
