export { judgeExample } from './examples.js';
export { type JudgeOptions, judge, judging, loadRecordings } from './judge.js';
export type { Recorded } from './recorded.js';
export {
  type Difference,
  type Judgement,
  type JudgeProgress,
  type LearnerFile,
  type Level,
  type LevelResult,
  levels,
  type Show,
  type SideEntry,
  type Sides,
} from './types.js';
