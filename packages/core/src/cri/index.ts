/**
 * The CRI v1 API inside core: messages, services, errors and the table of RPCs.
 *
 * DECISION: messages are plain objects in protobuf's JSON shape (camelCase names, 64-bit integers
 * as decimal strings, enums as their names, bytes as base64, zero values left out). A recording, a
 * trace record, a scenario and a message are then the same JSON, and neither the kubelet nor the
 * mock needs the protobuf runtime; only `@syncloop/core/cri/codec`, for gRPC, does.
 */
export * from './errors.js';
export * from './in-process.js';
export { operationType } from './operations.js';
export * from './redact.js';
export * from './rpcs.js';
export type { CRIServices, ImageService, RuntimeService } from './services.js';
export * from './traced.js';
export type * from './types.js';
export * from './values.js';
export * from './verify.js';
export { criVersions, rpcCounts, rpcSince, rpcsOf } from './versions.js';
