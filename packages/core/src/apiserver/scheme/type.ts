/**
 * What the fields of the API's objects are: for decoding, pruning, strict checks, strategic merge patches, field ownership and
 * OpenAPI. upstream: the Go types of k8s.io/api with their tags
 */
export type ScalarKind =
  | 'string'
  | 'int32'
  | 'int64'
  | 'bool'
  | 'quantity'
  | 'intOrString'
  | 'time'
  | 'microTime'
  | 'bytes'
  /** Any JSON, not looked into. */
  | 'raw';

interface Common {
  /** Written even when empty: a Go field without omitempty, or a struct by value. */
  readonly keep?: true;
  /** A pointer in Go: an empty value that was given stays. */
  readonly pointer?: true;
  readonly description?: string;
}
export interface Scalar extends Common {
  readonly t: 'scalar';
  readonly kind: ScalarKind;
}
export interface Struct extends Common {
  readonly t: 'struct';
  /** Name of the Go type: `PodSpec`. */
  readonly name: string;
  readonly fields: Readonly<Record<string, ApiType>>;
  readonly atomic?: true;
  readonly required?: readonly string[];
  /** One of a union: the other members go when it is given. */
  readonly retainKeys?: true;
}
export interface MapOf extends Common {
  readonly t: 'map';
  readonly of: ApiType;
  readonly atomic?: true;
}
export interface ListOf extends Common {
  readonly t: 'list';
  readonly of: ApiType;
  /** How server-side apply sees it. */
  readonly list: 'atomic' | 'set' | 'map';
  readonly keys?: readonly string[];
  /** Of a strategic merge patch: set when items merge. For lists of scalars ''. */
  readonly patchKey?: string;
  readonly retainKeys?: true;
}
export type ApiType = Scalar | Struct | MapOf | ListOf;

const scalar = (kind: ScalarKind): Scalar => ({ t: 'scalar', kind });
export const str = scalar('string');
export const int32 = scalar('int32');
export const int64 = scalar('int64');
export const bool = scalar('bool');
export const quantity: Scalar = { ...scalar('quantity'), pointer: true };
export const intOrString: Scalar = { ...scalar('intOrString'), pointer: true };
export const time = scalar('time');
export const microTime = scalar('microTime');
export const bytes = scalar('bytes');
export const raw: Scalar = { ...scalar('raw'), pointer: true };

/** Empty ones stay when they were given. */
export const ptr = <T extends ApiType>(type: T): T => ({ ...type, pointer: true });
/** Empty ones are written. */
export const keep = <T extends ApiType>(type: T): T => ({ ...type, keep: true });

type Fields = Readonly<Record<string, ApiType>>;
export const struct = (name: string, fields: Fields, more: Partial<Struct> = {}): Struct => ({
  t: 'struct',
  name,
  fields,
  ...more,
});
export const map = (of: ApiType): MapOf => ({ t: 'map', of });
/** Replaced as a whole by every kind of patch. */
export const list = (of: ApiType): ListOf => ({ t: 'list', of, list: 'atomic' });
/** Items with keys of their own; `patchKey`: of a strategic merge patch, the first key unless told. */
export const listMap = (of: ApiType, keys: readonly string[], more: Partial<ListOf> = {}): ListOf => ({
  t: 'list',
  of,
  list: 'map',
  keys,
  patchKey: keys[0] as string,
  ...more,
});
/** As apply sees it a set; replaced by a strategic merge patch. */
export const plainSet = (of: ApiType): ListOf => ({ t: 'list', of, list: 'set' });
/** Scalars of which each is there once; merges. */
export const set = (of: ApiType): ListOf => ({ t: 'list', of, list: 'set', patchKey: '' });

/** A field of a struct or map; undefined where it has none. */
export function fieldOf(type: ApiType | undefined, key: string): ApiType | undefined {
  if (type?.t === 'struct') return Object.hasOwn(type.fields, key) ? type.fields[key] : undefined;
  return type?.t === 'map' ? type.of : undefined;
}

/** The type's name in Go, as decoding errors have it. */
export function goType(type: ApiType): string {
  switch (type.t) {
    case 'struct':
      return `v1.${type.name}`;
    case 'map':
      return `map[string]${goType(type.of)}`;
    case 'list':
      return `[]${goType(type.of)}`;
    case 'scalar':
      return { string: 'string', int32: 'int32', int64: 'int64', bool: 'bool', bytes: '[]uint8', raw: 'interface {}' }[
        type.kind as string
      ] as string;
  }
}
