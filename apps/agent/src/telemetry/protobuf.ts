/** OTLP's requests and answers in binary protobuf. Their types have one home: core's observe/spans. */

import type { ExportTraceServiceRequest } from '@syncloop/core/trace';
import { binaryOfJson, type PartialSuccess, partialSuccessOf } from '@syncloop/observe/spans';

export type { PartialSuccess };

/** An ExportTraceServiceRequest as bytes. */
export const encodeRequest = (request: ExportTraceServiceRequest): Buffer => Buffer.from(binaryOfJson(request));

/** Reads an ExportTraceServiceResponse. Bytes that are not one are taken as an empty one. */
export const decodeResponse = (bytes: Uint8Array): PartialSuccess => partialSuccessOf(bytes);
