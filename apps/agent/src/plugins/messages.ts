/** Bytes of the plug-ins' APIs as messages, and back. */
import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { CRIError, GrpcCode } from '@syncloop/core/cri';
import { limits } from './limits.js';

/** The path of a method on the wire: `/v1beta1.Registration/Register`. */
export const pathOf = (method: DescMethod): string => `/${method.parent.typeName}/${method.name}`;

export function encode<D extends DescMessage>(schema: D, message: MessageInitShape<D>): Buffer {
  return Buffer.from(toBinary(schema, create(schema, message)));
}

/** Decodes a message. Throws an error of gRPC if the bytes are not one, or are more than a thread should read. */
export function decode<D extends DescMessage>(schema: D, bytes: Uint8Array): MessageShape<D> {
  try {
    if (fieldsOf(schema, new BinaryReader(bytes), bytes.length, 0) > limits.messageFields) {
      throw new CRIError(
        GrpcCode.ResourceExhausted,
        `a message of more than ${limits.messageFields} fields (${schema.typeName})`,
      );
    }
    return fromBinary(schema, bytes, { readUnknownFields: false });
  } catch (err) {
    if (err instanceof CRIError) throw err;
    const text = `grpc: failed to unmarshal the received message: ${(err as Error).message}`;
    throw new CRIError(GrpcCode.Internal, text, { cause: err });
  }
}

/** Counts the fields of a message and of those in it; stops soon after there are too many. */
function fieldsOf(schema: DescMessage, reader: BinaryReader, end: number, count: number): number {
  while (reader.pos < end && count <= limits.messageFields) {
    const [number, type] = reader.tag();
    count++;
    const field = schema.fields.find((f) => f.number === number);
    const inner = field?.message;
    if (inner && type === WireType.LengthDelimited) {
      const length = reader.uint32();
      count = fieldsOf(inner, reader, Math.min(reader.pos + length, end), count);
    } else reader.skip(type, number);
  }
  return count;
}
