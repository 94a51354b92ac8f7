export { htmlOf } from './html.js';
export { type Deflate, type TwinPlace, twinFragment } from './link.js';
export { markdownOf } from './markdown.js';
export { twinStory } from './story.js';
export { textOf } from './text.js';
export type * from './types.js';
export type { Lang } from './words.js';
