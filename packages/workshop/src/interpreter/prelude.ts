/**
 * Runs in the interpreter before a learner's code: it removes what depends on more than the input, keeps single
 * operations short, counts, and copies results as plain data. JavaScript, as text, because it runs inside.
 *
 * `host(steps)` asks the host after how many steps it is to be asked again; 0 stops the code.
 */
export const PRELUDE = String.raw`(function (host, limits) {
'use strict';
const { freeze, getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf, defineProperty, keys, create } = Object;
const { isArray } = Array;
const { apply, construct, ownKeys } = Reflect;
const { parse, stringify } = JSON;
const { hasOwn } = Object;
const { floor, abs } = Math;
const [RawError, RawSet, RawMap, RawString] = [Error, Set, Map, String];
const isFinite = Number.isFinite;
const call = (f, self, ...args) => apply(f, self, args);
const push = Array.prototype.push, joinOf = Array.prototype.join, sliceOf = String.prototype.slice, matchOf = String.prototype.match;
const setAdd = Set.prototype.add, setHas = Set.prototype.has, mapSet = Map.prototype.set;
const join = (list, by) => apply(joinOf, list, [by]);

// Steps.
let steps = 0, next = 16;
const endless = () => { for (;;); };
// The host says after how many steps it is asked again, or 0 to stop. The interpreter is then interrupted in an endless
// loop, because no try of the code catches that.
const ask = () => { const more = host(steps); if (more === 0) endless(); next = steps + more; };
const tick = () => { if (++steps >= next) ask(); };
const cost = (entries) => { steps += floor(entries / 16); if (steps >= next) ask(); };
const MOST = 100000;
const tooLong = (what) => { throw new RangeError(what + ' has more than ' + MOST + ' entries'); };
const spread = (value) => {
  if (isArray(value)) { if (value.length > MOST) tooLong('What is spread'); cost(value.length); }
  else if (typeof value === 'string') cost(value.length);
  else if (typeof value === 'object' && value !== null) cost(64 * 16);
  return value;
};

// Arrays: only of bounded length, because the interpreter cannot be stopped within one operation.
const wrap = (owner, name, check) => {
  const own = getOwnPropertyDescriptor(owner, name);
  if (!own || typeof own.value !== 'function') return;
  const inner = own.value;
  const outer = { [name](...args) { check(this, args); return apply(inner, this, args); } }[name];
  defineProperty(owner, name, { value: outer, writable: true, enumerable: false, configurable: true });
};
const checkArray = (name) => (self, args) => {
  if (!isArray(self)) throw new TypeError('Array.prototype.' + name + ' works on arrays only');
  if (self.length > MOST) tooLong('The array');
  let entries = self.length;
  for (let i = 0; i < args.length; i++) {
    if (!isArray(args[i])) continue;
    if (args[i].length > MOST) tooLong('The array');
    entries += args[i].length;
  }
  if (name === 'flat' || name === 'concat') for (let i = 0; i < self.length; i++) if (isArray(self[i])) {
    if (self[i].length > MOST) tooLong('The array');
    entries += self[i].length;
  }
  cost(entries);
};
for (const name of getOwnPropertyNames(Array.prototype)) {
  if (!['constructor', 'push', 'pop', 'at', 'keys', 'values', 'entries', 'toString'].includes(name)) wrap(Array.prototype, name, checkArray(name));
}
wrap(Array, 'from', (self, args) => {
  const of = args[0];
  if (of !== null && typeof of === 'object' && typeof of.length === 'number') { if (of.length > MOST) tooLong('What becomes an array'); cost(of.length); }
});
const checkText = (self, args) => {
  const length = typeof self === 'string' ? self.length : 0;
  const needle = typeof args[0] === 'string' ? args[0].length : 1;
  if (length * needle > 20000000) throw new RangeError('The text is too long to be searched');
  cost(length + needle);
};
for (const name of ['indexOf', 'lastIndexOf', 'includes', 'split', 'replace', 'replaceAll', 'match', 'matchAll', 'search', 'repeat', 'padStart', 'padEnd', 'concat', 'localeCompare', 'toLowerCase', 'toUpperCase', 'trim']) wrap(String.prototype, name, checkText);
const checkObject = (self, args) => {
  for (let i = 0; i < args.length; i++) if (isArray(args[i]) && args[i].length > MOST) tooLong('The array');
  cost(64 * 16);
};
for (const name of getOwnPropertyNames(Object)) if (!['length', 'name', 'prototype', 'is', 'hasOwn', 'getPrototypeOf'].includes(name)) wrap(Object, name, checkObject);
for (const name of ['parse', 'stringify']) wrap(JSON, name, checkObject);
for (const name of ['apply', 'construct', 'ownKeys']) wrap(Reflect, name, checkObject);

// Sets and maps are filled by a loop that can be stopped.
const filled = (Raw, fill) => {
  const made = { [Raw.name]: function (entries) {
    if (new.target === undefined) throw new TypeError(Raw.name + ' needs new');
    const self = construct(Raw, [], new.target);
    if (entries !== undefined && entries !== null) for (const entry of entries) { tick(); fill(self, entry); }
    return self;
  } }[Raw.name];
  made.prototype = Raw.prototype;
  defineProperty(Raw.prototype, 'constructor', { value: made, writable: true, enumerable: false, configurable: true });
  for (const name of ['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']) delete Raw.prototype[name];
  return made;
};
globalThis.Set = filled(Set, (self, entry) => apply(setAdd, self, [entry]));
globalThis.Map = filled(Map, (self, entry) => apply(mapSet, self, [entry[0], entry[1]]));

// Helpers of iterators run long loops inside.
const IteratorPrototype = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
for (const name of getOwnPropertyNames(IteratorPrototype)) delete IteratorPrototype[name];

// Removes all that depends on more than the input, or makes code of text.
const kept = ['globalThis', 'undefined', 'NaN', 'Infinity', 'Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'InternalError', 'AggregateError', 'Array', 'Object', 'Function', 'parseInt', 'parseFloat', 'isNaN', 'isFinite', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'Number', 'Boolean', 'String', 'Math', 'Reflect', 'Symbol', 'RegExp', 'JSON', 'Map', 'Set', 'WeakMap', 'WeakSet'];
for (const name of ownKeys(globalThis)) if (!kept.includes(name)) delete globalThis[name];
const absent = {
  Date: 'Date is not available: time is what the input says.',
  Promise: 'Promise is not available: the function returns its result at once.',
  Proxy: 'Proxy is not available: results are plain data.',
  BigInt: 'BigInt is not available. Use numbers.',
  eval: 'eval is not available: code is what stands in the file.',
  performance: 'performance is not available: time is what the input says.',
  setTimeout: 'setTimeout is not available: nothing runs later than the call.',
  setInterval: 'setInterval is not available: nothing runs later than the call.',
  queueMicrotask: 'queueMicrotask is not available: nothing runs later than the call.',
  fetch: 'fetch is not available: all that the function needs is in its arguments.',
  require: 'require is not available: the code is one file.',
  process: 'process is not available: all that the function needs is in its arguments.',
};
for (const name of keys(absent)) defineProperty(globalThis, name, { get() { throw new TypeError(absent[name]); }, enumerable: false, configurable: false });
const noRandom = () => { throw new TypeError('Math.random is not available: the same input must give the same result.'); };
defineProperty(Math, 'random', { value: noRandom, writable: false, configurable: false });
const noCode = () => { throw new TypeError('Functions cannot be made of text here.'); };
for (const f of [function () {}, function* () {}]) defineProperty(getPrototypeOf(f), 'constructor', { value: noCode, writable: false, configurable: false });
globalThis.Function = noCode;
noCode.prototype = getPrototypeOf(noCode);

// Plain data, as JSON.
const nameOf = (value) => { try { return getPrototypeOf(value)?.constructor?.name || 'an object'; } catch { return 'an object'; } };
const place = (path, key) => typeof key === 'number' ? path + '[' + key + ']' : path + (call(matchOf, key, /^[A-Za-z_$][\w$]*$/) ? '.' + key : '[' + stringify(key) + ']');
const shape = (key, params) => { const error = create(null); error.shape = { key, params }; throw error; };
let room = 0;
const text = (piece) => { room -= piece.length; if (room < 0) shape('resultLong', { most: limits.resultBytes }); return piece; };
const json = (value, path, depth) => {
  tick();
  if (value === null || value === true || value === false) return text(RawString(value));
  if (typeof value === 'string') { if (value.length > room) text(value); cost(value.length); return text(stringify(value)); }
  if (typeof value === 'number') {
    if (!isFinite(value)) shape('notFinite', { path, value: RawString(value) });
    return text(stringify(value));
  }
  if (typeof value !== 'object') shape('notPlain', { path, what: value === undefined ? 'undefined' : typeof value === 'symbol' ? 'a symbol' : 'a ' + typeof value, use: { key: 'plainValues' } });
  if (depth > 60) shape('tooDeep', { path: call(sliceOf, path, 0, 40) });
  const pieces = [];
  if (isArray(value)) {
    if (value.length > MOST) shape('manyEntries', { path, most: MOST });
    for (let i = 0; i < value.length; i++) {
      const own = getOwnPropertyDescriptor(value, i);
      if (!own) shape('hole', { path: place(path, i) });
      if (!('value' in own)) shape('getter', { path: place(path, i) });
      apply(push, pieces, [json(own.value, place(path, i), depth + 1)]);
    }
    return '[' + join(pieces, text(',')) + ']';
  }
  const proto = getPrototypeOf(value);
  if (proto !== null && proto !== Object.prototype) {
    const name = nameOf(value);
    shape('notPlain', { path, what: name === 'an object' ? name + ' with a prototype' : 'a ' + name, use: name === 'Map' ? 'Object.fromEntries(map)' : name === 'Set' ? '[...set]' : { key: 'plainValues' } });
  }
  for (const key of ownKeys(value)) {
    if (typeof key !== 'string') shape('symbolKey', { path });
    if (key === '__proto__') shape('protoKey', { path });
    const own = getOwnPropertyDescriptor(value, key);
    if (!own.enumerable) continue;
    if (!('value' in own)) shape('getter', { path: place(path, key) });
    if (own.value === undefined) continue;
    apply(push, pieces, [text(stringify(key) + ':') + json(own.value, place(path, key), depth + 1)]);
  }
  return '{' + join(pieces, text(',')) + '}';
};

// Values for a reader: short, and nothing in them is run.
const shown = (value, depth) => {
  switch (typeof value) {
    case 'string': return value.length > 200 ? call(sliceOf, value, 0, 200) + '…' : value;
    case 'number': return isFinite(value) ? value : RawString(value);
    case 'boolean': return value;
    case 'undefined': return 'undefined';
    case 'symbol': return 'symbol';
    case 'function': return 'ƒ';
  }
  if (value === null) return null;
  if (depth > 5) return '…';
  if (isArray(value)) {
    const list = [];
    for (let i = 0; i < value.length && i < 40; i++) {
      const own = getOwnPropertyDescriptor(value, i);
      apply(push, list, [own ? 'value' in own ? shown(own.value, depth + 1) : '(getter)' : '(hole)']);
    }
    if (value.length > 40) apply(push, list, ['… ' + (value.length - 40)]);
    return list;
  }
  const made = create(null);
  if (isMap(value)) { let n = 0; for (const entry of rawEntries(value)) { if (n++ > 40) break; made[typeof entry[0] === 'string' ? entry[0] : stringify(shown(entry[0], depth + 1))] = shown(entry[1], depth + 1); } return made; }
  if (isSet(value)) { const list = []; for (const entry of rawValues(value)) { if (list.length > 40) break; apply(push, list, [shown(entry, depth + 1)]); } return list; }
  if (isError(value)) return (ownText(value, 'name') || 'Error') + ': ' + ownText(value, 'message');
  let n = 0;
  for (const key of ownKeys(value)) {
    if (typeof key !== 'string' || key === '__proto__') continue;
    if (n++ > 40) { made['…'] = '…'; break; }
    const own = getOwnPropertyDescriptor(value, key);
    if (own.enumerable) made[key] = 'value' in own ? shown(own.value, depth + 1) : '(getter)';
  }
  return made;
};
const mapSize = getOwnPropertyDescriptor(Map.prototype, 'size').get, setSize = getOwnPropertyDescriptor(Set.prototype, 'size').get;
const mapEntries = Map.prototype.entries, setValues = Set.prototype.values;
const isMap = (value) => { try { apply(mapSize, value, []); return true; } catch { return false; } };
const isSet = (value) => { try { apply(setSize, value, []); return true; } catch { return false; } };
const rawEntries = (value) => apply(mapEntries, value, []);
const rawValues = (value) => apply(setValues, value, []);
const isError = (value) => value instanceof RawError;
const ownText = (value, key) => { for (let at = value; at; at = getPrototypeOf(at)) { const own = getOwnPropertyDescriptor(at, key); if (own) return typeof own.value === 'string' ? own.value : ''; } return ''; };

// Logs and lines.
let logs = [], lines = [], logRoom = 0, lineRoom = 0, left = 0;
const lineNow = () => { const found = call(matchOf, RawString(new RawError().stack), /\(learner\.ts:(\d+):/); return found ? +found[1] : 0; };
const after = () => lines.length > 0 ? lines.length : undefined;
const log = (...values) => {
  tick();
  if (logRoom < 0) return;
  const words = [];
  for (let i = 0; i < values.length; i++) { const one = values[i]; const seen = typeof one === 'string' ? call(sliceOf, one, 0, logRoom + 1) : shown(one, 0); apply(push, words, [typeof seen === 'string' ? seen : stringify(seen)]); }
  const line = join(words, ' ');
  cost(line.length);
  logRoom -= line.length + 1;
  if (logRoom < 0) apply(push, logs, [{ line: lineNow(), text: '… the log is longer than ' + limits.logBytes + ' bytes: what follows is left out', after: after() }]);
  else apply(push, logs, [{ line: lineNow(), text: line, after: after() }]);
};
const console = freeze({ log, info: log, warn: log, error: log, debug: log });
// It counts no step: with records of lines a code may do as much as without.
const line = (stop, variables) => {
  if (lineRoom <= 0) { left++; return; }
  const values = create(null);
  const names = keys(variables);
  for (let i = 0; i < names.length; i++) {
    // A variable that has no value yet throws when it is read.
    try { values[names[i]] = shown(variables[names[i]], 0); } catch {}
  }
  const made = stringify({ stop, variables: values });
  lineRoom -= made.length;
  apply(push, lines, [made]);
};

let exported = create(null);
const begin = () => { steps = 0; next = 16; logs = []; lines = []; left = 0; logRoom = limits.logBytes; lineRoom = limits.traceBytes; room = limits.resultBytes; };
const outcome = (run) => {
  try { return stringify({ ok: true, value: run() }); }
  catch (error) {
    try {
      if (isError(error)) return stringify({ ok: false, name: ownText(error, 'name'), message: ownText(error, 'message'), stack: ownText(error, 'stack') });
      if (typeof error === 'object' && error !== null && getPrototypeOf(error) === null && hasOwn(error, 'shape')) return stringify({ ok: false, shape: error.shape });
      // Null is thrown if there is no memory left for an error.
      if (error === null) return '{"ok":false,"isNull":true}';
      return stringify({ ok: false, name: '', message: stringify(shown(error, 0)) });
    } catch { return '{"ok":false,"name":"","message":"an error that cannot be read"}'; }
  }
};
for (const each of [Object, Array, String, Number, Boolean, RegExp, Map, Set, WeakMap, WeakSet, Symbol]) { freeze(each.prototype); freeze(each); }
for (const each of [getPrototypeOf(noCode), Reflect, Math, JSON, IteratorPrototype, getPrototypeOf([][Symbol.iterator]()), getPrototypeOf(function* () {}.prototype)]) freeze(each);
for (const each of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError]) freeze(each);
defineProperty(globalThis, 'console', { value: console, writable: false, configurable: false });

return freeze({
  load(module) { begin(); return outcome(() => { exported = module(tick, spread, line); return null; }); },
  call(name, args) {
    begin();
    return outcome(() => { const result = apply(exported[name](), undefined, parse(args)); room = limits.resultBytes; return json(result, 'result', 0); });
  },
  kind(name) { try { return typeof exported[name](); } catch { return 'undefined'; } },
  drain() { const made = stringify({ logs, lines, left }); logs = []; lines = []; return made; },
});
})`;
