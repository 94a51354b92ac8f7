export { answerQuery } from '@syncloop/core/debug';
