/** The documents of a pasted text, each as a value with its place. */

import { isMap, isNode } from 'yaml';
import { parseManifest } from '../../api/yaml.js';
import { checkLimits, isJSON } from '../../api/yaml-limits.js';
import { isObject, messageOf } from '../../base/index.js';
import { ManifestText, type Problem } from '../../manifest/index.js';
import type { Note, NoteCode } from './notes.js';

export type Loose = Readonly<Record<string, unknown>>;
export const field = (v: unknown, key: string): unknown => (isObject(v) && Object.hasOwn(v, key) ? v[key] : undefined);
export const textOf = (v: unknown): string => (typeof v === 'string' ? v : typeof v === 'number' ? String(v) : '');
export const listOf = (v: unknown): readonly unknown[] => (Array.isArray(v) ? v : []);

/** One object of the text, and where it is. */
export interface PlacedObject {
  readonly value: Loose;
  /** Offset of its document in the text, and the document's own text, comments and all. */
  readonly from: number;
  readonly text: string;
  /** Its place within the document: `items[2]` of a List. */
  readonly path: readonly (string | number)[];
}
export interface Documents {
  readonly objects: readonly PlacedObject[];
  readonly notes: readonly Note[];
  readonly problems: readonly Problem[];
}

const mostObjects = 500;

/** Returns all objects of a text, with what is wrong with it as YAML or JSON. Throws nothing. */
export function documentsOf(text: string): Documents {
  const notes: Note[] = [];
  const problems: Problem[] = [];
  const objects: PlacedObject[] = [];
  const note = (code: NoteCode, from: number, params: Record<string, string> = {}) =>
    notes.push({ code, params, from, refusal: code !== 'tabs' });
  const fatal = (message: string, at: number, rule: string, to = at + 1): void => {
    problems.push({
      from: Math.min(at, text.length),
      to: Math.min(to, text.length),
      severity: 'error',
      code: 'syntax',
      params: { message, rule },
      path: '',
    });
  };
  try {
    checkLimits(text);
  } catch (error) {
    problems.push({
      from: 0,
      to: 0,
      severity: 'error',
      code: 'kubelet',
      params: { message: messageOf(error) },
      path: '',
    });
    return { objects, notes, problems };
  }
  if (/^\s*FROM\s+\S+/.test(text) && /^\s*(RUN|COPY|CMD|ENTRYPOINT|WORKDIR)\b/m.test(text)) {
    note('dockerfile', 0);
    return { objects, notes, problems };
  }
  const add = (value: unknown, from: number, part: string, path: readonly (string | number)[]): void => {
    if (objects.length >= mostObjects) return;
    if (Array.isArray(value)) for (const [i, v] of value.entries()) add(v, from, part, [...path, i]);
    else if (isObject(value)) {
      const items = value.items;
      if (/List$/.test(textOf(value.kind)) && Array.isArray(items))
        for (const [i, v] of items.entries()) add(v, from, part, [...path, 'items', i]);
      else objects.push({ value, from, text: part, path });
    } else if (value !== null) note('notObject', from, { what: JSON.stringify(value).slice(0, 40) });
  };
  if (isJSON(text) || /^\s*\[/.test(text)) {
    try {
      add(JSON.parse(text), 0, text, []);
      return { objects, notes, problems };
    } catch (error) {
      // YAML's flow style looks like JSON and may have comments; if it is neither, the error of JSON is reported.
      const yaml = new ManifestText(text);
      if (yaml.documents.some((d) => d.errors.length > 0)) {
        const message = messageOf(error);
        const at = Number(/position (\d+)/.exec(message)?.[1] ?? yaml.documents[0]?.errors[0]?.pos[0] ?? 0);
        fatal(message, at, 'json');
        return { objects, notes, problems };
      }
    }
  }
  const parsed = new ManifestText(text);
  if (helm.test(text) && parsed.documents.some((d) => d.errors.length > 0 || helmOutside(text, d.contents))) {
    note('helm', text.search(helm));
    return { objects, notes, problems };
  }
  for (const doc of parsed.documents) {
    for (const error of doc.errors.slice(0, 20)) {
      const message = (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
      fatal(
        message,
        error.pos[0],
        /^Implicit (map )?keys? need/i.test(message) ? 'MULTILINE_IMPLICIT_KEY' : error.code,
        Math.max(error.pos[0] + 1, Math.min(error.pos[1], lineEnd(text, error.pos[0]))),
      );
    }
    if (doc.errors.length > 0 || !isNode(doc.contents)) continue;
    const [from, to] = doc.contents.range ?? [0, 0];
    const part = `${text.slice(from, to).trimEnd()}\n`;
    try {
      add(parseManifest(part), from, part, []);
    } catch (error) {
      fatal(messageOf(error), from, '');
    }
  }
  if (problems.length > 0 && /^ *\t/m.test(text)) {
    // Tabs are not indentation in YAML, but everybody sees what is meant.
    const again = documentsOf(text.replace(/^[ \t]+/gm, (indent) => indent.replaceAll('\t', '  ')));
    if (again.problems.length === 0)
      return {
        ...again,
        notes: [{ code: 'tabs', params: {}, from: text.search(/^ *\t/m), refusal: false }, ...again.notes],
      };
  }
  return { objects, notes, problems };
}

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
};

/** The placeholders of Helm, unlike the templates that Prometheus and Argo have in their own texts. */
const helm =
  /\{\{-?\s*(\.Values|\.Release|\.Chart|\.Capabilities|include\b|template\b|if\b|else\b|end\b|range\b|with\b|define\b|toYaml\b|tpl\b|\/\*)/;

/** Returns true if Helm's braces stand anywhere but in the data of a ConfigMap, where they may be text. */
function helmOutside(text: string, contents: unknown): boolean {
  if (!isMap(contents) || contents.get('kind') === 'ConfigMap') return false;
  const [from, to] = contents.range ?? [0, 0];
  return helm.test(text.slice(from, to));
}
