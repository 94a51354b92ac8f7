export { Findings } from './findings.js';
export { OverviewFold } from './overview.js';
export {
  type FindingCode,
  type FindingsAnswer,
  findingCodes,
  type Moment,
  type Overview,
  type RunFinding,
  type SourceOverview,
  type UnreadLines,
} from './types.js';
