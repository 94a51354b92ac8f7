export * from './host.js';
export * from './lesson.js';
export { type LibraryLesson, lessons } from './library/index.js';
export type { Trouble } from './moves.js';
export * from './names.js';
export { lessonSchema, MAX_TEXT_EN, MAX_TEXT_ZH, parseLesson } from './parse.js';
export * from './place.js';
export * from './player.js';
export { codesOf, holesOf, type Piece, pieces, plainText, type Values } from './text.js';
