import type { Command, Query } from './protocol.js';

const queries = ['why', 'whyNot', 'search', 'history', 'lastWriter', 'diff'] as const satisfies readonly Query['do'][];
const QUERIES: ReadonlySet<string> = new Set(queries);
/** Commands that any session answers from its records. */
export const isQuery = (command: Command): command is Query => QUERIES.has(command.do);

const LOOKING: ReadonlySet<string> = new Set([
  ...queries,
  'manifests',
  'objects',
  'logs',
  'scenarios',
  'runnable',
  'branches',
  'compare',
  'spec',
] satisfies Command['do'][]);
/** Whether a command only looks: what is asked, where it stands and what it shows to others stay as they are. */
export const isLooking = (command: Command): boolean => LOOKING.has(command.do);
