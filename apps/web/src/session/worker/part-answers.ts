export { answering } from '@syncloop/core/debug';
