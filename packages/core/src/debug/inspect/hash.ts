import { hex32, isObject } from '../../base/index.js';
import type { Json, NodeState } from '../../trace/index.js';
import { isList, MAX_LEVELS } from './equal.js';

/**
 * Returns a 64-bit hash of all that is in the state, as 16 hexadecimal digits: equal for equal states, whatever the
 * order of keys, and whether a field is undefined or missing. Levels below 300 do not count. It is no protection
 * against an adversary.
 */
export function hashState(state: NodeState): string {
  return hashValue(state as unknown as Json);
}

/** The same of any value. */
export function hashValue(value: Json): string {
  const hasher = new Hasher();
  hasher.visit(value, 0);
  return hex32(hasher.a) + hex32(hasher.b);
}

const doubles = new Float64Array(1);
const words = new Uint32Array(doubles.buffer);

const TAG = { null: 1, true: 2, false: 3, number: 4, text: 5, list: 6, map: 7, deep: 8 } as const;

/** Hashes of keys: they are few and come again and again. */
const keys = new Map<string, readonly [number, number]>();
const MOST_KEYS = 20_000;

/** Two independent 32-bit hashes of the same thing, left in `a` and `b`. */
class Hasher {
  a = 0;
  b = 0;
  visit(value: Json, level: number): void {
    if (typeof value === 'string') this.text(value, TAG.text);
    else if (typeof value === 'number') {
      // -0 and 0 are one number in JSON.
      doubles[0] = value + 0;
      this.start(TAG.number);
      this.add(words[0] as number, words[1] as number);
      this.finish();
    } else if (value === null || typeof value === 'boolean') {
      this.start(value === null ? TAG.null : value ? TAG.true : TAG.false);
      this.finish();
    } else if (level > MAX_LEVELS) this.start(TAG.deep);
    else if (isList(value)) this.list(value, level);
    else if (isObject(value)) this.map(value, level);
  }

  private list(list: readonly Json[], level: number): void {
    let a: number = TAG.list;
    let b: number = list.length;
    for (const item of list) {
      this.visit(item ?? null, level + 1);
      a = Math.imul(a ^ this.a, 0x9e3779b1) ^ (a >>> 15);
      b = Math.imul(b ^ this.b, 0x85ebca77) ^ (b >>> 13);
    }
    this.a = a;
    this.b = b;
    this.finish();
  }

  /** The fields' hashes are added up, so that their order does not matter. */
  private map(map: { readonly [key: string]: Json | undefined }, level: number): void {
    let a: number = TAG.map;
    let b = 0;
    for (const key of Object.keys(map)) {
      const value = map[key];
      if (value === undefined) continue;
      const [ka, kb] = this.key(key);
      this.visit(value, level + 1);
      this.a = Math.imul(this.a ^ ka, 0xc2b2ae3d);
      this.b = Math.imul(this.b ^ kb, 0x27d4eb2f);
      this.finish();
      a = (a + this.a) | 0;
      b = (b + this.b) | 0;
    }
    this.a = a;
    this.b = b;
    this.finish();
  }

  private key(key: string): readonly [number, number] {
    let found = keys.get(key);
    if (!found) {
      this.text(key, TAG.text);
      found = [this.a, this.b];
      if (keys.size >= MOST_KEYS) keys.clear();
      keys.set(key, found);
    }
    return found;
  }

  private text(text: string, tag: number): void {
    let a = 0xdeadbeef ^ tag;
    let b = 0x41c6ce57 ^ text.length;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      a = Math.imul(a ^ c, 0x9e3779b1);
      b = Math.imul(b ^ c, 0x5f356495);
    }
    this.a = a;
    this.b = b;
    this.finish();
  }

  private start(tag: number): void {
    this.a = Math.imul(tag, 0x9e3779b1);
    this.b = Math.imul(tag, 0x85ebca77);
  }
  private add(x: number, y: number): void {
    this.a = Math.imul(this.a ^ x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca77);
    this.b = Math.imul(this.b ^ y, 0xc2b2ae3d) ^ Math.imul(x, 0x27d4eb2f);
  }
  /** Mixes both: every bit of either comes to depend on all bits of both. */
  private finish(): void {
    let { a, b } = this;
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
    this.a = a ^ (b >>> 16);
    this.b = b ^ (a >>> 16);
  }
}
