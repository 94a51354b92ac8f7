/** What a field of a pod is, for people and for editors: a small relative of JSON Schema, with words in both languages of the page. */

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
  /** Of an object: its fields, the most wanted first. */
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  /** Of an array. */
  readonly items?: SchemaNode;
  /** Of a map. */
  readonly values?: SchemaNode;
  /** All values that there are. */
  readonly enum?: readonly string[];
  /** Of an object: fields that must be given. */
  readonly required?: readonly string[];
  /** What the kubelet's defaulting puts there. */
  readonly default?: string | number | boolean;
  /** Fields of an object of which one at most may be given: a volume's source, a probe's handler. */
  readonly oneOf?: readonly string[];
  /** A field of Kubernetes' API that the kubelet here pays no attention to. */
  readonly unsupported?: true;
  /** Written by the cluster, not by people: has no place in a manifest. */
  readonly readOnly?: true;
}

type Extra = Partial<Omit<SchemaNode, 'type' | 'description'>>;
type Maker = (en: string, zh: string, more?: Extra) => SchemaNode;
const of =
  (type: SchemaType): Maker =>
  (en, zh, more = {}) => ({ type, description: { en, zh }, ...more });

export const str = of('string');
export const int = of('integer');
export const bool = of('boolean');
export const quantity = of('quantity');
export const intOrString = of('int-or-string');
export const time = of('time');
export const anything = of('any');
/** One of these words. */
export const word = (values: readonly string[], en: string, zh: string, more: Extra = {}): SchemaNode =>
  str(en, zh, { enum: values, ...more });

export type Fields = Readonly<Record<string, SchemaNode>>;
export const object = (properties: Fields, en: string, zh: string, more: Extra = {}): SchemaNode => ({
  type: 'object',
  description: { en, zh },
  properties,
  ...more,
});
export const list = (items: SchemaNode, en: string, zh: string, more: Extra = {}): SchemaNode => ({
  type: 'array',
  description: { en, zh },
  items,
  ...more,
});
export const map = (values: SchemaNode, en: string, zh: string, more: Extra = {}): SchemaNode => ({
  type: 'map',
  description: { en, zh },
  values,
  ...more,
});
/** Known to Kubernetes, ignored here. */
export const ignored: Maker = (en, zh, more = {}) => anything(en, zh, { unsupported: true, ...more });
/** The same node under another description. */
export const about = (node: SchemaNode, en: string, zh: string, more: Extra = {}): SchemaNode => ({
  ...node,
  description: { en, zh },
  ...more,
});

/** Keys of a type of types.ts that it names itself; with it the compiler holds that none is missing here. */
export type NamedKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] };
/** Properties for all fields of T; more may come from the API. */
export type PropertiesOf<T> = Readonly<Record<NamedKeys<T>, SchemaNode>> & Fields;
