/**
 * Between CRI messages (protobuf's JSON shape) and protobuf bytes, per RPC. The only module here
 * that needs the protobuf runtime: import it as `@syncloop/core/cri/codec`, and only where bytes
 * are needed.
 */
import type { DescMessage, JsonValue } from '@bufbuild/protobuf';
import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import { ImageService, RuntimeService } from './gen/runtime_pb.js';
import { type RpcMethod, type RpcRequest, type RpcResponse, rpcMethods, rpcs } from './rpcs.js';

/** Converts one message type. */
export interface MessageCodec<T> {
  /** Full name of the type: `runtime.v1.VersionRequest`. */
  readonly typeName: string;
  /**
   * Encodes to protobuf bytes. Throws on a value that does not fit its field, naming the field; unknown fields are
   * ignored, as a newer peer's would be.
   */
  encode(message: T): Uint8Array;
  /** Decodes protobuf bytes, zero values left out. Throws on bytes that are no such message. */
  decode(bytes: Uint8Array): T;
}

/** Both directions of one RPC. */
export interface RpcCodec<M extends RpcMethod = RpcMethod> {
  /** gRPC path: `/runtime.v1.RuntimeService/Version`. */
  readonly path: string;
  readonly request: MessageCodec<RpcRequest<M>>;
  readonly response: MessageCodec<RpcResponse<M>>;
}

/** A field set to undefined is an absent one in our types, but an error to `fromJson`. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .map(([k, v]) => [k, withoutUndefined(v)]),
  );
}

/** Returns true if a value has an undefined field. Mostly it has none, and nothing need be copied. */
function hasUndefined(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined;
  for (const key of Object.keys(value)) if (hasUndefined((value as Record<string, unknown>)[key])) return true;
  return false;
}

function messageCodec<T>(schema: DescMessage): MessageCodec<T> {
  return {
    typeName: schema.typeName,
    encode: (message) => {
      const json = (hasUndefined(message) ? withoutUndefined(message) : message) as JsonValue;
      return toBinary(schema, fromJson(schema, json, { ignoreUnknownFields: true }));
    },
    decode: (bytes) => toJson(schema, fromBinary(schema, bytes)) as T,
  };
}

const services = { RuntimeService, ImageService } as const;

function rpcCodec<M extends RpcMethod>(method: M): RpcCodec<M> {
  const service = services[rpcs[method].service];
  const desc = service.methods.find((m) => m.name === rpcs[method].name);
  if (!desc) throw new Error(`runtime.proto has no RPC for ${method}: regenerate gen/`);
  return {
    path: `/${service.typeName}/${desc.name}`,
    request: messageCodec(desc.input),
    response: messageCodec(desc.output),
  };
}

/** The codec of every RPC, by method name. */
export const rpcCodecs = Object.fromEntries(rpcMethods.map((method) => [method, rpcCodec(method)])) as {
  readonly [M in RpcMethod]: RpcCodec<M>;
};
