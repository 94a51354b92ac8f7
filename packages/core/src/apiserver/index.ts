/** A Kubernetes API server in memory: see server.ts. */
export type { CertificateHost, RequestedCertificate, SigningPolicy } from './certificates/host.js';
export { maxBody } from './http/body.js';
export { printed } from './printed.js';
export { ApiServer, type ApiServerOptions } from './server.js';
export { type Status, StatusError } from './status.js';
export { defaultLimits, type StoreLimits } from './storage/store.js';
export { type InProcessOptions, type InProcessTransport, inProcessTransport } from './transport.js';
export * from './types.js';
