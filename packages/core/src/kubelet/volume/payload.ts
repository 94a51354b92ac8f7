import type { DownwardAPIVolumeFile, KeyToPath, Pod } from '../../api/types.js';
import { base64Bytes, messageOf, utf8Bytes, utf8Text } from '../../base/index.js';
import type { Go } from '../../kernel/index.js';
import type { ConfigMapObject, SecretObject } from '../client/objects.js';
import { containerResourceRuntimeValue, extractFieldPathAsString } from '../pod-env.js';
import { cleanRelative, type FileProjection } from './atomic-writer.js';
import type { VolumeHost } from './types.js';

/** A reference to a ConfigMap or Secret, and the keys that it asks for. */
export interface ObjectSource {
  readonly name: string;
  readonly optional?: boolean | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
}
type Files = Map<string, FileProjection>;

const noDefaultMode = 'no defaultMode used, not even the default value for it';
/** Throws if there is none: the API's defaults have one. */
export function defaultModeOf(source: { readonly defaultMode?: number } | undefined): number {
  if (source?.defaultMode === undefined) throw new Error(noDefaultMode);
  return source.defaultMode;
}

const standalone = 'not supported due to running kubelet in standalone mode';

/** Files of a ConfigMap. upstream: pkg/volume/configmap MakePayload */
export function* configMapPayload(host: VolumeHost, pod: Pod, source: ObjectSource, defaultMode: number): Go<Files> {
  const { objects } = host;
  const { namespace } = pod.metadata;
  const { data = {}, binaryData = {} } = yield* found<Partial<ConfigMapObject>>(host, source, function* () {
    if (!objects) throw new Error(standalone);
    return yield* objects.getConfigMap(namespace, source.name);
  });
  const files = new Map<string, string | Uint8Array>(Object.entries(data));
  for (const [key, value] of Object.entries(binaryData)) if (!files.has(key)) files.set(key, bytesOrText(value));
  return project(files, source, defaultMode, (key) => `configmap references non-existent config key: ${key}`);
}

/** Files of a Secret. upstream: pkg/volume/secret MakePayload */
export function* secretPayload(host: VolumeHost, pod: Pod, source: ObjectSource, defaultMode: number): Go<Files> {
  const { objects } = host;
  const { namespace } = pod.metadata;
  const { data = {} } = yield* found<Partial<SecretObject>>(host, source, function* () {
    if (!objects) throw new Error(standalone);
    return yield* objects.getSecret(namespace, source.name);
  });
  const files = new Map(Object.entries(data).map(([key, value]) => [key, bytesOrText(value)] as const));
  return project(files, source, defaultMode, (key) => `references non-existent secret key: ${key}`);
}

/** An object that may be missing and is, is empty. */
function* found<T extends object>(host: VolumeHost, { optional }: ObjectSource, get: () => Go<T>): Go<T> {
  try {
    return yield* get();
  } catch (err) {
    if (optional && host.objects?.isNotFound(err)) return {} as T;
    throw err;
  }
}

function project(
  data: ReadonlyMap<string, string | Uint8Array>,
  { items = [], optional }: ObjectSource,
  defaultMode: number,
  missing: (key: string) => string,
): Files {
  const out: Files = new Map();
  if (items.length === 0) for (const [key, value] of data) out.set(key, { data: value, mode: defaultMode });
  for (const { key, path, mode } of items) {
    const value = data.get(key);
    if (value !== undefined) out.set(path, { data: value, mode: mode ?? defaultMode });
    else if (!optional) throw new Error(missing(key));
  }
  return out;
}

/** Text if the bytes are nothing else. */
function bytesOrText(base64: string): string | Uint8Array {
  const bytes = base64Bytes(base64);
  const text = utf8Text(bytes);
  if (!text.includes('\ufffd')) return text;
  const again = utf8Bytes(text);
  return again.length === bytes.length && again.every((b, i) => b === bytes[i]) ? text : Uint8Array.from(bytes);
}

/** A file for each field. upstream: pkg/volume/downwardapi CollectData */
export function downwardAPIPayload(
  host: VolumeHost,
  pod: Pod,
  items: readonly DownwardAPIVolumeFile[],
  defaultMode: number,
): Files {
  const out: Files = new Map();
  const errors: unknown[] = [];
  /** Content that several files share is made once. */
  const made = new Map<string, string>();
  const once = (key: string, make: () => string): string => {
    const data = made.get(key) ?? make();
    made.set(key, data);
    return data;
  };
  for (const { path, fieldRef, resourceFieldRef, mode } of items) {
    try {
      let data = '';
      if (fieldRef) data = once(fieldRef.fieldPath, () => extractFieldPathAsString(pod, fieldRef.fieldPath));
      else if (resourceFieldRef)
        data = once(JSON.stringify(resourceFieldRef), () =>
          containerResourceRuntimeValue({ pod, nodeInfo: host.nodeInfo }, resourceFieldRef),
        );
      out.set(path.startsWith('/') || path.includes('..') ? path : cleanRelative(path), {
        data,
        mode: mode ?? defaultMode,
      });
    } catch (err) {
      errors.push(err);
    }
  }
  throwAll(errors);
  return out;
}

/** Throws one error, or all of them in brackets. upstream: apimachinery errors.NewAggregate */
export function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  if (errors.length === 1) throw errors[0];
  throw new Error(`[${[...new Set(errors.map((e) => messageOf(e)))].join(', ')}]`);
}
