export { ApiServer } from '@syncloop/core/scenario';
