import { isObject } from '../../base/index.js';

/**
 * An OpenAPI version 2 document in the binary form that older kubectl asks for: the part of it that the documents here
 * use. A string of which each character is a byte. upstream: github.com/google/gnostic-models openapiv2/OpenAPIv2.proto
 */
export function encodeOpenAPIv2(doc: Readonly<Record<string, unknown>>): string {
  const info = doc.info as { title: string; version: string };
  return [
    text(1, doc.swagger),
    message(2, text(1, info.title) + text(2, info.version)),
    message(8, named(2, doc.paths, pathItem)),
    message(9, named(1, doc.definitions, schema)),
  ].join('');
}

function varint(n: number): string {
  let out = '';
  for (let v = n; ; v = Math.floor(v / 128)) {
    if (v < 128) return out + String.fromCharCode(v);
    out += String.fromCharCode((v % 128) | 128);
  }
}
/** Returns a text's UTF-8 as a string of bytes. */
function utf8(value: string): string {
  let out = '';
  for (const char of value) {
    const c = char.codePointAt(0) as number;
    if (c < 0x80) out += String.fromCharCode(c);
    else if (c < 0x800) out += String.fromCharCode(0xc0 | (c >> 6), 0x80 | (c & 63));
    else if (c < 0x10000) out += String.fromCharCode(0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
    else out += String.fromCharCode(0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
  }
  return out;
}
const message = (field: number, body: string): string => varint(field * 8 + 2) + varint(body.length) + body;
const text = (field: number, value: unknown): string =>
  typeof value === 'string' && value !== '' ? message(field, utf8(value)) : '';
const texts = (field: number, values: unknown): string =>
  Array.isArray(values) ? values.map((v) => text(field, v)).join('') : '';
const bool = (field: number, value: unknown): string => (value === true ? varint(field * 8) + varint(1) : '');
/** A list of name and value. */
const named = (field: number, values: unknown, encode: (v: Json) => string): string =>
  Object.entries((values ?? {}) as Record<string, Json>)
    .map(([k, v]) => message(field, text(1, k) + message(2, encode(v))))
    .join('');
type Json = Readonly<Record<string, unknown>>;

/** upstream: NamedAny: the value as YAML, of which JSON is a part. */
const extensions = (field: number, o: Json): string =>
  Object.entries(o)
    .filter(([k]) => k.startsWith('x-'))
    .map(([k, v]) => message(field, text(1, k) + message(2, text(2, `${JSON.stringify(v)}\n`))))
    .join('');

function schema(s: Json): string {
  const additional = s.additionalProperties;
  return [
    text(1, s.$ref),
    text(2, s.format),
    text(4, s.description),
    texts(19, s.required),
    isObject(additional) ? message(21, message(1, schema(additional))) : '',
    s.type ? message(22, text(1, s.type)) : '',
    isObject(s.items) ? message(23, message(1, schema(s.items))) : '',
    isObject(s.properties) ? message(25, named(1, s.properties, schema)) : '',
    extensions(31, s),
  ].join('');
}

function pathItem(p: Json): string {
  const at: readonly (readonly [string, number])[] = [
    ['get', 2],
    ['put', 3],
    ['post', 4],
    ['delete', 5],
    ['patch', 8],
  ];
  return at
    .map(([method, field]) => (isObject(p[method]) ? message(field, operation(p[method] as Json)) : ''))
    .join('');
}
function operation(o: Json): string {
  return [
    text(3, o.description),
    text(5, o.operationId),
    texts(7, o.consumes),
    Array.isArray(o.parameters) ? o.parameters.map((p) => message(8, message(1, parameter(p as Json)))).join('') : '',
    isObject(o.responses)
      ? message(
          9,
          Object.entries(o.responses)
            .map(([code, r]) => message(1, text(1, code) + message(2, message(1, response(r as Json)))))
            .join(''),
        )
      : '',
    extensions(13, o),
  ].join('');
}
function parameter(p: Json): string {
  if (p.in === 'body')
    return message(
      1,
      text(1, 'body parameter of the request') +
        text(2, 'body') +
        text(3, p.name) +
        bool(4, p.required) +
        message(5, schema(p.schema as Json)),
    );
  // NonBodyParameter.query_parameter_sub_schema
  return message(
    2,
    message(3, text(2, p.in) + text(3, p.description) + text(4, p.name) + text(6, p.type) + bool(21, p.uniqueItems)),
  );
}
function response(r: Json): string {
  return text(1, r.description) + (isObject(r.schema) ? message(2, message(1, schema(r.schema as Json))) : '');
}
