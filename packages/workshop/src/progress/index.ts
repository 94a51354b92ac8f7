export { type Level as LevelName, levels as LEVELS, passedLevels } from '../judge/levels.js';
export * from './progress.js';
