import { maxDepth } from '../../api/yaml-limits.js';
import { isObject } from '../../base/index.js';
import { copyJSON, depthOf, equalJSON, type JsonObject, put, sizeJSON } from '../json.js';

/** A patch that cannot be applied to this object. */
export class PatchFailed extends Error {}
/** A patch that is not well-formed. */
export class PatchMalformed extends Error {}
/** A patch with more operations than one patch may have. */
export class PatchTooLarge extends Error {}

/** The most operations that one patch may have. upstream: maxJSONPatchOperations */
export const maxOperations = 10_000;
/** Most bytes by which all copies of one patch may make the document larger. upstream: JSONPatchMaxCopyBytes */
export const maxCopyBytes = 3 * 1024 * 1024;
/**
 * Most places by which all operations of one patch may move items of lists. Upstream has no such limit, but more
 * threads.
 */
export const maxMoves = 50_000_000;

/** Limits the work of one patch. */
class Budget {
  private copied = 0;
  private moved = 0;

  copy(value: unknown): void {
    // A copy into itself makes a document deeper each time.
    if (depthOf(value, maxDepth) > maxDepth)
      throw new PatchFailed(`jsonpatch copy operation does not apply: the value nests deeper than ${maxDepth}`);
    this.copied += sizeJSON(value, maxCopyBytes);
    if (this.copied > maxCopyBytes)
      throw new PatchFailed(
        `Unable to complete the copy, the accumulated size increase of copy is ${this.copied}, exceeding the limit ${maxCopyBytes}`,
      );
  }
  move(places: number): void {
    this.moved += places;
    if (this.moved > maxMoves)
      throw new PatchFailed(`the operations move items of lists by more than ${maxMoves} places`);
  }
}

function pointer(text: unknown, what: string): string[] {
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/')))
    throw new PatchMalformed(
      `jsonpatch ${what} operation does not apply: doc is missing path: ${String(text)}: missing value`,
    );
  const parts = text.split('/').slice(1);
  if (parts.length > maxDepth)
    throw new PatchFailed(`jsonpatch ${what} operation does not apply: a path of more than ${maxDepth} parts`);
  return parts.map((p) => p.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Applies a JSON patch (RFC 6902). The document is not changed. Throws PatchFailed, PatchMalformed or PatchTooLarge.
 */
export function applyJSONPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw new PatchMalformed('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  if (patch.length > maxOperations)
    throw new PatchTooLarge(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`);
  let doc = copyJSON(document);
  const budget = new Budget();
  for (const operation of patch) {
    if (!isObject(operation))
      throw new PatchMalformed('json: cannot unmarshal into Go value of type jsonpatch.Operation');
    const { op } = operation;
    const path = pointer(operation.path, String(op));
    switch (op) {
      case 'add':
        doc = add(doc, path, value(operation), budget);
        break;
      case 'remove':
        doc = remove(doc, path, 'remove', budget).doc;
        break;
      case 'replace': {
        const given = value(operation);
        if (path.length === 0) doc = given;
        else {
          find(doc, path, 'replace');
          doc = set(doc, path, given);
        }
        break;
      }
      case 'move': {
        const from = pointer(operation.from, 'move');
        if (path.length > from.length && from.every((p, i) => p === path[i]))
          throw new PatchFailed('jsonpatch move operation does not apply: a value cannot be moved into itself');
        const taken = remove(doc, from, 'move', budget);
        doc = add(taken.doc, path, taken.value, budget);
        break;
      }
      case 'copy': {
        const from = find(doc, pointer(operation.from, 'copy'), 'copy');
        budget.copy(from);
        doc = add(doc, path, copyJSON(from), budget);
        break;
      }
      case 'test': {
        const there = find(doc, path, 'test');
        if (!equalJSON(there, value(operation)))
          throw new PatchFailed(`testing value ${String(operation.path)} failed: test failed`);
        break;
      }
      default:
        throw new PatchMalformed(`Unexpected kind: ${String(op)}`);
    }
  }
  return doc;
}

function value(operation: JsonObject): unknown {
  if (!Object.hasOwn(operation, 'value'))
    throw new PatchMalformed(`jsonpatch ${String(operation.op)} operation: missing value`);
  return copyJSON(operation.value);
}

const gone = (what: string, path: readonly string[]) =>
  new PatchFailed(
    `jsonpatch ${what} operation does not apply: doc is missing path: "/${path.join('/')}": missing value`,
  );

function index(text: string, length: number, path: readonly string[], what: string): number {
  if (!/^(0|[1-9]\d*)$/.test(text) || Number(text) >= length) throw gone(what, path);
  return Number(text);
}

function find(doc: unknown, path: readonly string[], what: string): unknown {
  let at = doc;
  for (const p of path) {
    if (Array.isArray(at)) at = at[index(p, at.length, path, what)];
    else if (isObject(at) && Object.hasOwn(at, p)) at = at[p];
    else throw gone(what, path);
  }
  return at;
}

function set(doc: unknown, path: readonly string[], given: unknown): unknown {
  const parent = find(doc, path.slice(0, -1), 'replace');
  const last = path.at(-1) as string;
  if (Array.isArray(parent)) parent[Number(last)] = given;
  else put(parent as JsonObject, last, given);
  return doc;
}

function add(doc: unknown, path: readonly string[], given: unknown, budget: Budget): unknown {
  const last = path.at(-1);
  if (last === undefined) return given;
  const parent = find(doc, path.slice(0, -1), 'add');
  if (Array.isArray(parent)) {
    const at = last === '-' ? parent.length : index(last, parent.length + 1, path, 'add');
    budget.move(parent.length - at);
    parent.splice(at, 0, given);
  } else if (isObject(parent)) put(parent, last, given);
  else throw gone('add', path);
  return doc;
}

function remove(doc: unknown, path: readonly string[], what: string, budget: Budget): { doc: unknown; value: unknown } {
  const last = path.at(-1);
  if (last === undefined) return { doc: null, value: doc };
  const taken = find(doc, path, what);
  const parent = find(doc, path.slice(0, -1), what);
  if (Array.isArray(parent)) {
    budget.move(parent.length - Number(last));
    parent.splice(Number(last), 1);
  } else delete (parent as JsonObject)[last];
  return { doc, value: taken };
}

/** Applies a merge patch (RFC 7396). Neither argument is changed. */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return copyJSON(patch);
  const out: JsonObject = isObject(document) ? { ...document } : {};
  for (const [k, v] of Object.entries(patch)) {
    if (v === null) delete out[k];
    else put(out, k, applyMergePatch(Object.hasOwn(out, k) ? out[k] : undefined, v));
  }
  return out;
}
