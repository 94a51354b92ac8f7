/**
 * The description of a pod's field, for people and for editors: a small relative of JSON Schema, with words in both
 * languages.
 */
import type { ApiType, Scalar, Struct } from '../api/objects/field.js';

/** A text in the languages of the page. */
export interface LocalText {
  readonly en: string;
  readonly zh: string;
}

/** `map`: any keys, with values of one kind. `any`: not looked into. `quantity`: as `100m`, `64Mi`, or a number. */
export type SchemaType =
  | 'object'
  | 'map'
  | 'array'
  | 'string'
  | 'integer'
  | 'boolean'
  | 'quantity'
  | 'int-or-string'
  | 'time'
  | 'any';

export interface SchemaNode {
  readonly type: SchemaType;
  readonly description: LocalText;
  /** The fields of an object, the most wanted first; the usual keys of a map. */
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  /** The items of an array. */
  readonly items?: SchemaNode;
  /** The values of a map. */
  readonly values?: SchemaNode;
  /** All values that there are. */
  readonly enum?: readonly string[];
  /** The fields of an object that must be given. */
  readonly required?: readonly string[];
  /** The value that the kubelet's defaulting sets. */
  readonly default?: string | number | boolean;
  /** Fields of an object of which one at most may be given: a volume's source, a probe's handler. */
  readonly oneOf?: readonly string[];
  /** A field of Kubernetes' API that the kubelet here pays no attention to. */
  readonly unsupported?: true;
  /** Written by the cluster, not by people: has no place in a manifest. */
  readonly readOnly?: true;
}

/** English, Chinese. */
export type Words = readonly [en: string, zh: string];
/** Words for a list or map of scalars: `each` is about an item or value, `keys` about values with usual keys. */
export interface ListWords {
  readonly is: Words;
  readonly each: Words;
  readonly keys?: Readonly<Record<string, Words>>;
}
/** The words of one type: `item` if it is in lists, and one entry for each field, the most wanted first. */
export interface TypeWords {
  readonly type: Struct;
  readonly fields: Readonly<Record<string, Words | ListWords>>;
  readonly item?: Words;
}
/** Words for all fields of a type: the compiler refuses a field that has none, and words that have no field. */
export const words = <V>(
  type: Struct<V>,
  fields: { readonly [K in keyof V]-?: Words | ListWords },
  item?: Words,
): TypeWords => ({ type, fields: fields as TypeWords['fields'], ...(item && { item }) });

const text = ([en, zh]: Words): LocalText => ({ en, zh });
const scalarTypes: Readonly<Record<Scalar['kind'], SchemaType>> = {
  string: 'string',
  bytes: 'string',
  int32: 'integer',
  int64: 'integer',
  bool: 'boolean',
  quantity: 'quantity',
  intOrString: 'int-or-string',
  time: 'time',
  microTime: 'time',
  raw: 'any',
};

/** Lays words over declarations. A struct that has no words is not looked into. */
export class Describer {
  private readonly words: ReadonlyMap<string, TypeWords>;
  private readonly structs = new Map<string, Partial<SchemaNode>>();

  constructor(words: readonly TypeWords[]) {
    this.words = new Map(words.map((w) => [w.type.name, w]));
  }

  /** A field, or a whole object, with its words. */
  node(type: ApiType, given: Words | ListWords): SchemaNode {
    const { is, each, keys } = 'is' in given ? given : { is: given, each: undefined, keys: undefined };
    const own = {
      description: text(is),
      ...(typeof type.default !== 'object' && { default: type.default as string | number | boolean }),
      ...(type.ignored && { unsupported: true as const }),
      ...(type.readOnly && { readOnly: true as const }),
    };
    if (own.default === undefined) delete own.default;
    switch (type.t) {
      case 'scalar':
        return { type: scalarTypes[type.kind], ...own, ...(type.enum && { enum: type.enum }) };
      case 'struct':
        return { type: 'any', ...own, ...this.struct(type) };
      case 'list':
        return { type: 'array', ...own, items: this.node(type.of, each ?? this.itemWords(type.of) ?? is) };
      case 'map': {
        const values = (w: Words) => this.node(type.of, w);
        const properties = keys && Object.fromEntries(Object.entries(keys).map(([k, w]) => [k, values(w)]));
        return { type: 'map', ...own, values: values(each ?? is), ...(properties && { properties }) };
      }
    }
  }

  private itemWords(type: ApiType): Words | undefined {
    return type.t === 'struct' ? this.words.get(type.name)?.item : undefined;
  }

  private struct(type: Struct): Partial<SchemaNode> {
    const words = this.words.get(type.name);
    if (!words) return {};
    let found = this.structs.get(type.name);
    if (!found) {
      const fields = Object.entries(type.fields);
      const required = fields.filter(([, f]) => f.required || f.needed).map(([name]) => name);
      found = {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(words.fields).map(([name, w]) => [name, this.node(type.fields[name] as ApiType, w)]),
        ),
        ...(required.length > 0 && { required }),
        ...(type.union && { oneOf: type.union }),
      };
      this.structs.set(type.name, found);
    }
    return found;
  }
}
