/**
 * Messages of somebody else's conversation, of any version: by the path of the call, with what this API does not know
 * kept under the numbers of its fields. It needs the protobuf runtime: import it as `@syncloop/core/cri/wire`, and only
 * when such bytes are there.
 */
import { type DescMessage, type DescMethod, fromBinary, type Message, toJson } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { base64Encode, utf8TextStrict } from '../base/index.js';
import type { Json } from '../trace/index.js';
import { ImageService, RuntimeService } from './gen/runtime_pb.js';

type JsonObject = { [key: string]: Json };

/** By service and method: the service's name is the same in `runtime.v1` and `runtime.v1alpha2`, and so are numbers. */
const methods: ReadonlyMap<string, DescMethod> = new Map(
  [RuntimeService, ImageService].flatMap((service) =>
    service.methods.map((method) => [`${service.name}/${method.name}` as string, method] as const),
  ),
);

/** Fields of one message, with those of all messages in it. No runtime's answer of 16 MiB comes near it. */
const MOST_FIELDS = 1_000_000;
/** Shorter messages cannot have so many. */
const COUNTED = 512 * 1024;
/** Unknown fields of one message that are kept. */
const MOST_UNKNOWN = 1000;

/**
 * A message as JSON, as `rpcCodecs` gives it, from a call of that path (`/runtime.v1.RuntimeService/Version`; null
 * if it is unknown). Fields that this API does not have are there under their numbers: `{"17": "some text"}`; so is
 * the whole message of a method that it does not have. Throws on bytes that are not a protobuf message.
 */
export function readMessage(path: string | null, side: 'request' | 'response', bytes: Uint8Array): Json {
  const method = path === null ? undefined : methods.get(path.slice(path.lastIndexOf('.') + 1));
  if (!method) return rawMessage(bytes);
  const desc: DescMessage = side === 'request' ? method.input : method.output;
  if (bytes.length > COUNTED && countFields(desc, new BinaryReader(bytes), bytes.length) > MOST_FIELDS)
    throw new RangeError(`a message of more than ${MOST_FIELDS} fields`);
  const message = fromBinary(desc, bytes);
  const json = toJson(desc, message) as JsonObject;
  addUnknown(desc, message, json);
  return json;
}

/** Counts the fields of a message, with all in it; it ends early if they are too many. */
function countFields(desc: DescMessage, reader: BinaryReader, end: number): number {
  const inner = new Map(
    desc.fields.map((field) => [field.number, field.fieldKind === 'map' ? undefined : field.message]),
  );
  let n = 0;
  while (reader.pos < end && n <= MOST_FIELDS) {
    const [no, wireType] = reader.tag();
    const of = inner.get(no);
    n++;
    if (of && wireType === WireType.LengthDelimited) {
      const length = reader.uint32();
      n += countFields(of, reader, reader.pos + length);
    } else reader.skip(wireType, no);
  }
  return n;
}

/** Puts the unknown fields of a message, and of all messages in it, into its JSON. */
function addUnknown(desc: DescMessage, message: Message, json: JsonObject): void {
  for (const { no, wireType, data } of message.$unknown?.slice(0, MOST_UNKNOWN) ?? []) {
    const reader = new BinaryReader(data);
    put(json, no, rawValue(reader, no, wireType));
  }
  for (const field of desc.fields) {
    const inner = field.message;
    const shown = json[field.jsonName];
    if (!inner || typeof shown !== 'object' || shown === null) continue;
    const holder = (field.oneof ? message[field.oneof.localName as keyof Message] : message) as object;
    const value = (holder as Record<string, unknown>)[field.oneof ? 'value' : field.localName];
    if (field.fieldKind === 'list') {
      for (const [i, one] of (value as Message[]).entries()) addUnknown(inner, one, (shown as JsonObject[])[i] ?? {});
    } else if (field.fieldKind === 'map') {
      for (const [key, one] of Object.entries(value as Record<string, Message>))
        addUnknown(inner, one, ((shown as JsonObject)[key] ?? {}) as JsonObject);
    } else addUnknown(inner, value as Message, shown as JsonObject);
  }
}

/**
 * Reads a message without a known type: its fields by number, the first {@link MOST_UNKNOWN}. A field that is there
 * twice is a list.
 */
function rawMessage(bytes: Uint8Array): Json {
  const json: JsonObject = {};
  const reader = new BinaryReader(bytes);
  for (let n = 0; reader.pos < reader.len && n < MOST_UNKNOWN; n++) {
    const [no, wireType] = reader.tag();
    put(json, no, rawValue(reader, no, wireType));
  }
  return json;
}

function put(json: JsonObject, no: number, value: Json): void {
  const before = Object.hasOwn(json, no) ? json[no] : undefined;
  if (Array.isArray(before)) before.push(value);
  else json[no] = before === undefined ? value : [before, value];
}

/**
 * Reads a field without a known type: numbers as decimal texts; text as it is; other bytes as `{bytes: BASE64}`, for
 * nobody knows what they are.
 */
function rawValue(reader: BinaryReader, no: number, wireType: WireType): Json {
  switch (wireType) {
    case WireType.Varint:
      return String(reader.uint64());
    case WireType.Bit64:
      return String(reader.fixed64());
    case WireType.Bit32:
      return String(reader.fixed32());
    case WireType.LengthDelimited: {
      const bytes = reader.bytes();
      return text(bytes) ?? { bytes: base64Encode(bytes) };
    }
    default:
      return { bytes: base64Encode(reader.skip(wireType, no)) };
  }
}

function text(bytes: Uint8Array): string | null {
  if (bytes.some((byte) => byte < 32 && byte !== 9 && byte !== 10 && byte !== 13)) return null;
  try {
    return utf8TextStrict(bytes);
  } catch {
    return null;
  }
}
