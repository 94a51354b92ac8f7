export { twinTools } from '@syncloop/core/twin/tools';
