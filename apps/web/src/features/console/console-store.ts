/** The entries that the console shows, and the commands that were typed before. */
import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';

/** `err`: what kubectl writes to stderr; `note`: the console's own words. */
export type PartKind = 'out' | 'err' | 'note';
export interface Part {
  readonly kind: PartKind;
  readonly text: string;
}
export interface Entry {
  readonly id: number;
  readonly input: string;
  readonly parts: readonly Part[];
  /** Lines that were left out at the beginning of the output. */
  readonly cut: number;
}

export interface ConsoleState {
  readonly entries: readonly Entry[];
  /** Id of the entry whose command is running; 0 when none is. */
  readonly running: number;
  readonly history: readonly string[];
}

/** Most lines of output of one command, and most commands that are kept. */
export const MOST_LINES = 2_000;
const MOST_ENTRIES = 100;
const MOST_HISTORY = 200;
/** Longer ones are kept until the page is closed only: storage is not only ours. */
const LONGEST_KEPT = 2_000;

function storedHistory(): readonly string[] {
  try {
    const list: unknown = JSON.parse(recall('console.history') ?? '[]');
    return Array.isArray(list) ? list.filter((x): x is string => typeof x === 'string').slice(-MOST_HISTORY) : [];
  } catch {
    return [];
  }
}

export const useConsole = create<ConsoleState>(() => ({ entries: [], running: 0, history: storedHistory() }));

let ids = 0;
export function beginEntry(input: string): number {
  const id = ++ids;
  useConsole.setState((s) => ({
    entries: [...s.entries, { id, input, parts: [], cut: 0 }].slice(-MOST_ENTRIES),
    running: id,
  }));
  return id;
}
export function endEntry(id: number): void {
  useConsole.setState((s) => (s.running === id ? { running: 0 } : {}));
}
export function clearEntries(): void {
  useConsole.setState((s) => ({ entries: s.entries.filter((e) => e.id === s.running && s.running !== 0) }));
}

/** Adds text to an entry; of very much only the newest lines stay. */
export function appendPart(id: number, kind: PartKind, text: string): void {
  useConsole.setState((s) => ({ entries: s.entries.map((e) => (e.id === id ? withPart(e, { kind, text }) : e)) }));
}

export function withPart(entry: Entry, part: Part, most = MOST_LINES): Entry {
  const lastPart = entry.parts.at(-1);
  const parts =
    lastPart?.kind === part.kind
      ? [...entry.parts.slice(0, -1), { kind: part.kind, text: `${lastPart.text}\n${part.text}` }]
      : [...entry.parts, part];
  let left = most;
  let cut = entry.cut;
  const kept: Part[] = [];
  for (const p of [...parts].reverse()) {
    const lines = p.text.split('\n');
    if (left <= 0) {
      cut += lines.length;
      continue;
    }
    if (lines.length > left) {
      cut += lines.length - left;
      kept.push({ kind: p.kind, text: lines.slice(-left).join('\n') });
    } else kept.push(p);
    left -= lines.length;
  }
  return { ...entry, parts: kept.reverse(), cut };
}

/** The last one first; the same twice in a row counts once. */
export function rememberInput(input: string): void {
  const { history } = useConsole.getState();
  if (history.at(-1) === input) return;
  const next = [...history, input].slice(-MOST_HISTORY);
  useConsole.setState({ history: next });
  remember('console.history', JSON.stringify(next.filter((line) => line.length <= LONGEST_KEPT)));
}
