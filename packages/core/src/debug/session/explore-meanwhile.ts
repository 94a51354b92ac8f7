import { isLooking } from '../protocol/is-query.js';
import type { Command } from '../protocol/protocol.js';

/** Commands that may come while it explores, beside those that only look: they do not move anything. */
const MEANWHILE: ReadonlySet<string> = new Set(['pause', 'speed', 'breakpoints', 'rename'] satisfies Command['do'][]);

/** Why a command cannot come now, null when it can. */
export const refusedWhileExploring = (command: Command): string | null =>
  MEANWHILE.has(command.do) || isLooking(command) ? null : `${command.do} must wait: it is exploring; pause that first`;
