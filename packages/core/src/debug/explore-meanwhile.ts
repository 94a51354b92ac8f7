import type { Command } from './protocol.js';

/** Commands that may come while it explores: those that only look, and those that do not move anything. */
const MEANWHILE: ReadonlySet<string> = new Set([
  'pause',
  'speed',
  'breakpoints',
  'rename',
  'manifests',
  'objects',
  'logs',
  'scenarios',
  'runnable',
  'branches',
  'compare',
  'spec',
  'why',
  'whyNot',
  'search',
  'history',
  'lastWriter',
  'diff',
] satisfies Command['do'][]);

/** Why a command cannot come now, null when it can. */
export const refusedWhileExploring = (command: Command): string | null =>
  MEANWHILE.has(command.do) ? null : `${command.do} must wait: it is exploring; pause that first`;
