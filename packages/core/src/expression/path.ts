import type { Json } from '../trace/records.js';
import type { NodeState } from '../trace/state/index.js';
import type { Node } from './ast.js';
import { didYouMean, ExpressionError } from './errors.js';
import { parse } from './parser.js';
import { any, type Shape, stateShape } from './shapes.js';
import { podNamed } from './subject.js';
import { isList, memberOf } from './values.js';

/** A field or key, an index (from the end below 0), or the element of which a field has that value. */
export type Segment = string | number | { readonly key: string; readonly value: string | number };
/** From the node's state inwards. */
export type Path = readonly Segment[];

/**
 * Reads a path as expressions write it, `state.` before it or not: `pods["uid"].phase`, `pods["web"].steps[-1].name`,
 * `channels["3"].items[seq == 12]`. Throws an ExpressionError for what is not a path and for fields that cannot exist.
 */
export function parsePath(source: string): Path {
  const tree = parse(source);
  const out: { segment: Segment; position: number; end: number }[] = [];
  let node: Node = tree;
  while (node.type !== 'name') {
    if (node.type === 'field') out.push({ segment: node.name, position: node.nameAt, end: node.end });
    else if (node.type === 'index') {
      const { position, end } = node.index;
      out.push({ segment: segmentOf(node.index), position, end });
    } else
      throw new ExpressionError(
        'expected a path such as pods["web"].phase: fields, ["keys"], [0], [-1] and [field == value]',
        node.position,
        node.end,
      );
    node = node.of;
  }
  if (node.name !== 'state' || out.length === 0)
    out.push({ segment: node.name, position: node.position, end: node.end });
  let shape = stateShape;
  return out.reverse().map(({ segment, position, end }) => {
    shape = shapeAt(shape, segment, position, end);
    return segment;
  });
}

function segmentOf(index: Node): Segment {
  if (index.type === 'value' && (typeof index.value === 'string' || typeof index.value === 'number'))
    return index.value;
  if (
    index.type === 'unary' &&
    index.operator === '-' &&
    index.of.type === 'value' &&
    typeof index.of.value === 'number'
  )
    return -index.of.value;
  const chosen = selectorOf(index);
  if (chosen) return chosen;
  throw new ExpressionError('expected "key", a number, or field == value between [ and ]', index.position, index.end);
}

/** Reads a selector such as `[seq == 12]`: the first element of which the field has that value. */
export function selectorOf(index: Node): { key: string; value: string | number } | null {
  if (index.type !== 'binary' || index.operator !== '==' || index.left.type !== 'name' || index.right.type !== 'value')
    return null;
  const { value } = index.right;
  return typeof value === 'string' || typeof value === 'number' ? { key: index.left.name, value } : null;
}

function shapeAt(shape: Shape, segment: Segment, position: number, end: number): Shape {
  switch (shape.type) {
    case 'any':
      return any;
    case 'map':
      if (typeof segment !== 'object') return shape.of;
      break;
    case 'list':
      if (typeof segment !== 'string') return shape.of;
      break;
    case 'object': {
      if (typeof segment === 'string' && shape.fields.has(segment)) return shape.fields.get(segment) ?? any;
      const near = typeof segment === 'string' ? didYouMean(segment, shape.fields.keys()) : '';
      throw new ExpressionError(
        `there is no field ${show(segment)} here${near || `; there are ${[...shape.fields.keys()].join(', ')}`}`,
        position,
        end,
      );
    }
    default:
  }
  const what =
    shape.type === 'list'
      ? 'a list has elements: [0], [-1] or [field == value], not'
      : shape.type === 'map'
        ? 'a map has keys: ["key"], not'
        : `a ${shape.type} has no`;
  throw new ExpressionError(`${what} ${show(segment)}`, position, end);
}
const show = (segment: Segment): string =>
  typeof segment === 'object' ? `[${segment.key} == ...]` : JSON.stringify(segment).slice(0, 60);

/** Writes a path as `parsePath` reads it. */
export function formatPath(path: Path): string {
  let shape: Shape = stateShape;
  let out = '';
  for (const segment of path) {
    if (typeof segment === 'number') out += `[${segment}]`;
    else if (typeof segment === 'object') out += `[${segment.key} == ${JSON.stringify(segment.value)}]`;
    else if (shape.type !== 'map' && /^[A-Za-z_$][\w$]*$/.test(segment) && !RESERVED.has(segment))
      out += out === '' ? segment : `.${segment}`;
    else out += `${out === '' ? 'state' : ''}[${JSON.stringify(segment)}]`;
    if (shape.type === 'map' || shape.type === 'list') shape = shape.of;
    else shape = (shape.type === 'object' && typeof segment === 'string' && shape.fields.get(segment)) || any;
  }
  return out;
}
const RESERVED: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);

/** The element that a selector means; null if there is none. */
export function select(value: Json, { key, value: wanted }: { key: string; value: Json }): Json {
  if (!isList(value)) return null;
  for (const item of value) if (memberOf(item, key) === wanted) return item;
  return null;
}

/**
 * The value at a path; null if there is none. A pod may be meant by uid or by name. It is a part of the state: copy
 * it to keep it.
 */
export function valueAt(state: NodeState, path: Path): Json {
  let value = state as unknown as Json;
  for (let i = 0; i < path.length && value !== null; i++) {
    const segment = path[i] as Segment;
    if (typeof segment === 'object') value = select(value, segment);
    else {
      const next = memberOf(value, segment);
      value =
        next === null && i === 1 && path[0] === 'pods' && typeof segment === 'string'
          ? ((podNamed(state, segment) ?? null) as Json)
          : next;
    }
  }
  return value;
}
