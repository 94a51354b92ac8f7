/** A Kubernetes API server: see server.ts. */
export type { TokenKey } from './authentication/index.js';
export type { AuthorizationMode, Impersonation } from './authorization/index.js';
export type { CertificateHost, RequestedCertificate, SigningPolicy } from './certificates/host.js';
export { maxBody } from './http/body.js';
export { printed } from './printed.js';
export { ApiServer, type ApiServerOptions } from './server.js';
export { type Status, StatusError } from './status.js';
export type { Journal, Kept, KeptObject, StoredChange } from './storage/journal.js';
export { defaultLimits, type StoreLimits } from './storage/store.js';
export { type InProcessOptions, type InProcessTransport, inProcessTransport } from './transport.js';
export * from './types.js';
