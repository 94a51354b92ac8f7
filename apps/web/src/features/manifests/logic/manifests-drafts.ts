/** Texts that were written and not applied yet, by file, and how they are kept from one visit to the next. */
import { isObject } from '@syncloop/core/base';
export interface Draft {
  readonly text: string;
  /** True if it is not in the folder yet: its name can be changed. */
  readonly fresh: boolean;
  /** Its name was chosen by somebody; others follow the pod's. */
  readonly named?: boolean;
}
export type Drafts = Readonly<Record<string, Draft>>;

/** Letters that are kept of all drafts together: storage is not only ours. */
const MOST_LETTERS = 300_000;
const MOST_SESSIONS = 20;

type Stored = Readonly<Record<string, Drafts>>;

function read(stored: string | null): Stored {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? '{}');
  } catch {
    return {};
  }
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter((e): e is [string, Record<string, unknown>] => isObject(e[1]))
      .map(([scope, drafts]) => [
        scope,
        Object.fromEntries(
          Object.entries(drafts).filter(
            (e): e is [string, Draft] =>
              isObject(e[1]) && typeof e[1].text === 'string' && typeof e[1].fresh === 'boolean',
          ),
        ),
      ]),
  );
}

/** Reads the drafts of a session's folder; none if the stored text is damaged. */
export function draftsFrom(stored: string | null, scope: string): Drafts {
  const all = read(stored);
  return Object.hasOwn(all, scope) ? (all[scope] ?? {}) : {};
}

/**
 * Returns the text to store: this session's drafts with those of others, the oldest of which go when it becomes too
 * much.
 */
export function draftsTo(stored: string | null, scope: string, drafts: Drafts): string {
  const others = Object.entries(read(stored)).filter(([s]) => s !== scope);
  const all: [string, Drafts][] = Object.keys(drafts).length === 0 ? others : [...others, [scope, drafts]];
  let kept = all.slice(-MOST_SESSIONS);
  let text = JSON.stringify(Object.fromEntries(kept));
  while (text.length > MOST_LETTERS && kept.length > 0) {
    kept = kept.slice(1);
    text = JSON.stringify(Object.fromEntries(kept));
  }
  return text;
}

/** Returns the drafts after a change of a file's text: a file whose text equals the saved one has no draft. */
export function withText(drafts: Drafts, file: string, text: string, saved: string | undefined): Drafts {
  const draft = Object.hasOwn(drafts, file) ? drafts[file] : undefined;
  if (!draft?.fresh && saved === text) return without(drafts, file);
  return { ...drafts, [file]: { ...draft, text, fresh: draft?.fresh ?? false } };
}

export function without(drafts: Drafts, file: string): Drafts {
  return Object.fromEntries(Object.entries(drafts).filter(([f]) => f !== file));
}

/** A draft under another name; the order stays. */
export function renamed(drafts: Drafts, file: string, to: string): Drafts {
  if (file === to || Object.hasOwn(drafts, to)) return drafts;
  return Object.fromEntries(
    Object.entries(drafts).map(([f, d]) => (f === file ? [to, { ...d, named: true }] : [f, d])),
  );
}

/** One line of the list of files. */
export interface FileRow {
  readonly file: string;
  readonly state: 'saved' | 'changed' | 'fresh' | 'gone';
}

/** Files of the folder and drafts, the folder's first. */
export function fileRows(files: readonly string[], drafts: Drafts): FileRow[] {
  const rows: FileRow[] = files.map((file) => ({ file, state: Object.hasOwn(drafts, file) ? 'changed' : 'saved' }));
  for (const [file, { fresh }] of Object.entries(drafts))
    if (!files.includes(file)) rows.push({ file, state: fresh ? 'fresh' : 'gone' });
  return rows;
}
