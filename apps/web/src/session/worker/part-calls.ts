export { readMessage } from '@syncloop/core/cri/wire';
