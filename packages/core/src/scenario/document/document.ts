import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  stringify,
  visit,
} from 'yaml';
import { AS_WRITTEN, manifestValue } from '../../api/yaml.js';
import { checkLimits, isJSON } from '../../api/yaml-limits.js';
import { messageOf } from '../../base/index.js';
import type { Path, Source } from '../../shape/index.js';
import { ScenarioError } from './errors.js';

/** Longest text of a scenario that is read, in UTF-16 units. */
export const longestScenarioText = 1024 * 1024;

/**
 * A document that this program made and never wrote down: it has no lines, and no limit but the memory that it already
 * takes. Parts are written as YAML.
 */
export const generatedSource: Source = {
  file: '',
  root: '',
  nullIsMissing: true,
  position: () => undefined,
  textOf: (_path, value) => stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false }),
};

/** A YAML text: the value that it means, and the places where its parts stand. */
export class YamlSource implements Source {
  readonly value: unknown;
  readonly root = '';
  /** A field with nothing behind it is as if it were not there. */
  readonly nullIsMissing = true;
  private readonly contents: Node | null;
  private readonly lines = new LineCounter();

  /** Throws a ScenarioError if it is not YAML. */
  constructor(
    readonly text: string,
    readonly file: string,
  ) {
    if (text.length > longestScenarioText)
      throw new ScenarioError(`${file}:1:1: the text is too long; at most ${longestScenarioText} characters are read`);
    try {
      // Before any parser sees it: parsers do not survive every text.
      checkLimits(text);
    } catch (error) {
      throw new ScenarioError(`${file}:1:1: ${messageOf(error)}; write it flatter`);
    }
    const doc = parseDocument<ParsedNode>(text, { ...AS_WRITTEN, lineCounter: this.lines });
    const error = doc.errors[0];
    if (error) {
      const at = this.lines.linePos(error.pos[0]);
      throw new ScenarioError(
        `${file}:${at.line}:${at.col}: ${(error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '')}; correct the YAML there`,
      );
    }
    this.contents = doc.contents;
    try {
      // JSON is also YAML, but JSON's own reader has the last word on it, as in a manifest.
      this.value = isJSON(text) ? JSON.parse(text) : manifestValue(doc.contents);
    } catch (error) {
      throw new ScenarioError(`${file}:1:1: ${messageOf(error)}`);
    }
    this.checkKeys();
  }

  /** Refuses duplicate keys: without this check one of the two values would be lost silently. */
  private checkKeys(): void {
    if (!this.contents) return;
    visit(this.contents, {
      Map: (_, map) => {
        const seen = new Set<string>();
        for (const { key } of map.items) {
          if (!isScalar(key) || key.value === '<<') continue;
          const name = String(key.value);
          if (seen.has(name))
            throw this.errorAt(key, `the key "${name.slice(0, 80)}" is defined twice; remove one of the two`);
          seen.add(name);
        }
      },
    });
  }

  /** The node at a path, or the nearest one above it that the text has. */
  private find(path: Path): { node: Node | null; exact: boolean } {
    let node: Node | null = this.contents;
    for (const part of path) {
      let next: unknown;
      if (isMap(node)) next = node.items.find((p) => isScalar(p.key) && String(p.key.value) === String(part))?.value;
      else if (isSeq(node)) next = node.items[Number(part)];
      if (!isNode(next)) return { node, exact: false };
      node = next;
    }
    return { node, exact: true };
  }

  /** The key of the last part of a path, for what is wrong with the key itself. */
  private key(path: Path): Node | null {
    const { node } = this.find(path.slice(0, -1));
    if (!isMap(node)) return null;
    const key = node.items.find((p) => isScalar(p.key) && String(p.key.value) === String(path.at(-1)))?.key;
    return isNode(key) ? key : null;
  }

  position(path: Path, ofKey: boolean): { line: number; column: number } {
    const node = (ofKey ? this.key(path) : null) ?? this.find(path).node;
    const { line, col } = node?.range ? this.lines.linePos(node.range[0]) : { line: 1, col: 1 };
    return { line, column: col };
  }

  private errorAt(node: Node, what: string): ScenarioError {
    const { line, col } = this.lines.linePos(node.range?.[0] ?? 0);
    return new ScenarioError(`${this.file}:${line}:${col}: ${what}`);
  }

  /** A part of the text as a text of its own: with its comments if it is in block style, else as JSON. */
  textOf(path: Path, value: unknown): string {
    const { node, exact } = this.find(path);
    const json = () => `${JSON.stringify(value, null, 2)}\n`;
    if (!exact || !isMap(node) || node.flow || !node.range || node.anchor) return json();
    let aliases = false;
    visit(node, {
      Node: (_, n) => {
        if (!isAlias(n)) return;
        aliases = true;
        return visit.BREAK;
      },
    });
    if (aliases) return json();
    const [start, end] = node.range;
    const indent = this.lines.linePos(start).col - 1;
    const lines = this.text.slice(start, end).split('\n');
    const cut = new RegExp(`^ {0,${indent}}`);
    return `${[lines[0], ...lines.slice(1).map((l) => l.replace(cut, ''))].join('\n').trimEnd()}\n`;
  }
}
