/** YAML as Kubernetes reads it (1.1), with positions for messages, and with bounds set before the parser sees it. */
import { checkLimits } from '@syncloop/core/api';
import { type Path, plainSource, type Source } from '@syncloop/core/shape';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { UsageError } from './errors.js';

const maxBytes = 1024 * 1024;

/** A document with the places of its parts. */
export interface YAMLDocument {
  readonly value: unknown;
  /** Returns `file:line:col` of a field, or of the nearest value around it. */
  place(...path: (string | number)[]): string;
  /** The same, for shapes to read from: null is the same as nothing, as in Kubernetes' API. */
  readonly source: Source;
}

/** Parses one document. Throws a UsageError that names file, line and column. */
export function parseYAML(file: string, text: string): YAMLDocument {
  if (Buffer.byteLength(text) > maxBytes)
    throw new UsageError(`${file} is larger than 1 MiB, which no configuration is`);
  try {
    // Some texts make the parser end the whole process instead of throwing.
    checkLimits(text);
  } catch (err) {
    throw new UsageError(`${file}: ${(err as Error).message}`);
  }
  const lines = new LineCounter();
  const doc = parseDocument(text, { version: '1.1', lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const problem = doc.errors[0];
  if (problem) throw new UsageError(`${at(problem.pos[0])}: ${problem.message}`);
  let value: unknown;
  try {
    value = doc.toJS({ maxAliasCount: 100 }) as unknown;
  } catch (err) {
    // Aliases that multiply, or lead nowhere.
    throw new UsageError(`${file}: ${(err as Error).message}`);
  }
  const offsetOf = (path: Path): number => {
    let node: unknown = doc.contents;
    let offset = (node as Node | null)?.range?.[0] ?? 0;
    for (const key of path) {
      if (isMap(node)) {
        const pair = node.items.find((item) => String(isScalar(item.key) ? item.key.value : item.key) === String(key));
        offset = (pair?.key as Node | undefined)?.range?.[0] ?? offset;
        node = pair?.value;
      } else if (isSeq(node)) {
        node = node.items[Number(key)];
        offset = (node as Node | undefined)?.range?.[0] ?? offset;
      }
    }
    return offset;
  };
  return {
    value,
    place: (...path) => at(offsetOf(path)),
    source: {
      ...plainSource(''),
      file,
      nullIsMissing: true,
      position(path) {
        const { line, col } = lines.linePos(offsetOf(path));
        return { line, column: col };
      },
    },
  };
}
