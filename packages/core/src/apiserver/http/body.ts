import type { Struct } from '../../api/objects/field.js';
import { parseManifest } from '../../api/yaml.js';
import { checkJSONDepth, endOfString, isJSON, maxDepth, TooManyMarks } from '../../api/yaml-limits.js';
import { isObject, messageOf, utf8Text } from '../../base/index.js';
import { copyJSON, depthOf } from '../json.js';
import { decode, maxStrictErrors, TooManyItems, UnmarshalTypeError } from '../scheme/decode.js';
import { badRequest, requestTooLarge, tooLarge, unsupportedMediaType } from '../status.js';
import type { ApiObject, ApiRequest } from '../types.js';
import { openEnvelope, readProtobuf } from './protobuf.js';

/** Most bytes of a body. upstream: MaxRequestBodyBytes */
export const maxBody = 3 * 1024 * 1024;

/**
 * Most characters of a body that is YAML and not JSON: its parser is some hundred times slower. Clients such as kubectl
 * send JSON whatever type they give it.
 */
const maxYAML = 16 * 1024;

/**
 * Most commas and opening brackets of a body in JSON: each value has one before it. An object of {@link maxItems} items
 * with ten fields each has no more; a body of 3 MiB that has a million would keep the parser busy for half a second.
 */
export const maxMarks = 60_000;

/** The media type without its parameters. */
export const mediaType = (request: ApiRequest): string =>
  ((request.headers?.['content-type'] ?? '').split(';')[0] ?? '').trim().toLowerCase();

export const protobuf = 'application/vnd.kubernetes.protobuf';

/**
 * Returns the body as a new JSON value, or undefined if there is none. `type`: the expected type, for bodies in
 * protobuf. Throws 400, 413, 415.
 */
export function bodyOf(request: ApiRequest, type: Struct | null): unknown {
  const { bytes } = request;
  if (bytes && mediaType(request) === protobuf) {
    if (bytes.length > maxBody) throw tooLarge(maxBody);
    if (bytes.length === 0 || !type) return undefined;
    const { apiVersion, kind, raw } = openEnvelope(bytes);
    // The caller refuses an object of another kind, which cannot be decoded here.
    const own = { ...(apiVersion && { apiVersion }), ...(kind && { kind }) };
    return {
      ...(kind === '' || kind === type.name || type.name === 'DeleteOptions' ? readProtobuf(type, raw) : {}),
      ...own,
    };
  }
  if (request.json !== undefined) {
    if (depthOf(request.json, maxDepth) > maxDepth) throw badRequest(`the body nests deeper than ${maxDepth}`);
    return copyJSON(request.json);
  }
  const body = request.body ?? (bytes && utf8Text(bytes));
  if (body === undefined || body === '') return undefined;
  if (body.length > maxBody) throw tooLarge(maxBody);
  const media = mediaType(request);
  const yaml = media === 'application/yaml' || media === 'application/apply-patch+yaml';
  if (!yaml && media !== '' && media !== '*/*' && !/^application\/([a-z-]+\+)?json$/.test(media))
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf`,
    );
  if (yaml && body.length > maxYAML && !isJSON(body))
    throw requestTooLarge(`YAML is limited to ${maxYAML} characters: send JSON, which may have ${maxBody} bytes`);
  try {
    // Texts that nest too deeply, are too long or have too many values never reach a parser.
    if (yaml && !isJSON(body)) return parseManifest(body);
    checkJSONDepth(body, maxMarks);
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof TooManyMarks)
      throw requestTooLarge(`a body has at most ${maxMarks} commas and brackets: split the object into several`);
    throw badRequest(`error decoding: ${messageOf(error)}`.replace('error decoding: error', 'error'));
  }
}

/** The body's text, if it is text. */
export const bodyText = (request: ApiRequest): string | undefined =>
  request.body ?? (request.bytes && mediaType(request) !== protobuf ? utf8Text(request.bytes) : undefined);

/** Paths of keys that a JSON text has twice in one object, the first {@link maxStrictErrors} of them. */
export function duplicates(text: string): string[] {
  const out: string[] = [];
  const stack: { seen: Set<string> | null; index: number; key: string }[] = [];
  let key = true;
  const path = () =>
    stack
      .map((s) => (s.seen ? `.${s.key}` : `[${s.index}]`))
      .join('')
      .replace(/^\./, '');
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    const top = stack.at(-1);
    if (c === '"') {
      const start = i;
      i = endOfString(text, i);
      if (!key || !top?.seen) continue;
      top.key = JSON.parse(text.slice(start, i + 1)) as string;
      if (top.seen.has(top.key) && out.push(path()) >= maxStrictErrors) return out;
      top.seen.add(top.key);
      key = false;
    } else if (c === '{') {
      stack.push({ seen: new Set(), index: 0, key: '' });
      key = true;
    } else if (c === '[') stack.push({ seen: null, index: 0, key: '' });
    else if (c === '}' || c === ']') stack.pop();
    else if (c === ',' && top) {
      if (top.seen) key = true;
      else top.index++;
    }
  }
  return out;
}

/** The treatment of unknown fields. upstream: metav1.CreateOptions fieldValidation */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface DecodeOptions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly validation: FieldValidation;
  /** The text, if there is one: keys given twice are seen only there. */
  readonly text?: string | undefined;
  warn(text: string): void;
}

/** Reads a field that says what an object is; null counts as missing. Throws 400 if it is not a text. */
function typeField(value: { readonly [field: string]: unknown }, field: string): string | undefined {
  const text = value[field] ?? undefined;
  if (text === undefined || typeof text === 'string') return text;
  const found = Array.isArray(text) ? 'array' : typeof text === 'boolean' ? 'bool' : typeof text;
  throw badRequest(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${found} into Go struct field .${field} of type string`,
  );
}

/** A body as an object of a kind. Throws 400 in the server's words. */
export function decodeObject(type: Struct, value: unknown, options: DecodeOptions): ApiObject {
  const { apiVersion, kind } = options;
  if (!isObject(value))
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  const given = { apiVersion: typeField(value, 'apiVersion'), kind: typeField(value, 'kind') };
  if (given.kind !== undefined && given.kind !== '' && given.kind !== kind)
    throw badRequest(
      `${given.kind} in version ${JSON.stringify(given.apiVersion ?? apiVersion)} cannot be handled as a ${kind}: no kind ${JSON.stringify(given.kind)} is registered for version ${JSON.stringify(given.apiVersion ?? apiVersion)} in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"`,
    );
  if (given.apiVersion !== undefined && given.apiVersion !== '' && given.apiVersion !== apiVersion)
    throw badRequest(
      `the API version in the data (${given.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  try {
    const { value: object, unknown } = decode(type, value);
    const twice = options.text !== undefined && options.validation !== 'Ignore' ? duplicates(options.text) : [];
    const strict = [
      ...unknown.map((p) => `unknown field ${JSON.stringify(p)}`),
      ...twice.map((p) => `duplicate field ${JSON.stringify(p)}`),
    ].slice(0, maxStrictErrors);
    if (strict.length > 0 && options.validation === 'Strict')
      throw badRequest(
        `${kind} in version ${JSON.stringify(apiVersion)} cannot be handled as a ${kind}: strict decoding error: ${strict.join(', ')}`,
      );
    if (options.validation === 'Warn') for (const s of strict) options.warn(s);
    return { ...object, apiVersion, kind } as unknown as ApiObject;
  } catch (error) {
    if (error instanceof TooManyItems) throw requestTooLarge(error.message);
    if (error instanceof UnmarshalTypeError)
      throw badRequest(
        `${kind} in version ${JSON.stringify(apiVersion)} cannot be handled as a ${kind}: ${error.message}`,
      );
    throw error;
  }
}
