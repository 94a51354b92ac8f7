export { VerdictFold } from './fold.js';
export { htmlOf } from './html.js';
export { markdownOf } from './markdown.js';
export { verdictStory } from './story.js';
export { preventionText, textOf } from './text.js';
export type * from './types.js';
export type { Lang } from './words.js';
