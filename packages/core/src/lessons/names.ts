/** The groups in which lessons are listed, in the order to take them. */
export const lessonGroups = ['loop', 'pods', 'runtime', 'node', 'articles', 'postmortems'] as const;
export type LessonGroup = (typeof lessonGroups)[number];

/** Names of what a lesson may show of the page. */
export const levels = ['story', 'loop', 'everything'] as const;
export const panels = [
  'timeline',
  'records',
  'log',
  'events',
  'console',
  'branches',
  'breakpoints',
  'scenarios',
  'manifests',
  'pods',
] as const;
export const tabs = ['what', 'why', 'changed', 'history', 'source'] as const;
export const parts = [
  'loop',
  'pleg',
  'cri',
  'status',
  'probes',
  'podConfig',
  'source-file',
  'source-http',
  'source-api',
  'images',
  'devices',
] as const;

export type LessonLevel = (typeof levels)[number];
export type LessonPanel = (typeof panels)[number];
export type LessonTab = (typeof tabs)[number];
export type LessonPart = (typeof parts)[number];
