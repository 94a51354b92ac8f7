export { Findings } from './findings.js';
export { innermost } from './innermost.js';
export { KubeletSeen } from './kubelet-seen.js';
export { OverviewFold } from './overview.js';
export { nodesText, shareText } from './share.js';
export { startReason } from './start-reasons.js';
export {
  type FindingCode,
  type FindingsAnswer,
  findingCodes,
  type Moment,
  type NodeOverview,
  type Overview,
  type ProgramOverview,
  type RunFinding,
  type SourceOverview,
  type UnreadLines,
} from './types.js';
