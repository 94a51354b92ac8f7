import type { Command, Query } from './protocol.js';

const queries: ReadonlySet<string> = new Set([
  'why',
  'whyNot',
  'search',
  'history',
  'lastWriter',
  'diff',
] satisfies Query['do'][]);
/** Commands that any session answers from its records. */
export const isQuery = (command: Command): command is Query => queries.has(command.do);
