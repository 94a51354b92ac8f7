export { library } from '@syncloop/core/scenario';
