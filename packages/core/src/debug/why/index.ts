export { parseQuestion } from './parse.js';
export { indexing } from './record-index.js';
export type {
  Answer,
  Detail,
  Finding,
  Question,
  Role,
  Text,
  WhyLink,
  WhyNotQuestion,
  WhyQuestion,
  WhyStore,
} from './types.js';
export { WhyError } from './types.js';
export { why } from './why.js';
export { whyNot } from './why-not.js';
