/** A selection as two words, for links, notes and classes: its kind, and its name. */
import { parts, type Selection } from '../page/ui-store.js';

/** Returns the name that a selection has among those of its kind. */
export function whatOf(selection: Selection): string | number {
  switch (selection.kind) {
    case 'pod':
      return selection.uid;
    case 'channel':
      return selection.name;
    case 'goroutine':
    case 'container':
    case 'sandbox':
      return selection.id;
    case 'record':
      return selection.seq;
    case 'part':
      return selection.part;
  }
}

/** Reads a selection; undefined for one that this page cannot select: a link is no worse without it. */
export function selectionOf(value: unknown): Selection | undefined {
  if (!Array.isArray(value)) return undefined;
  const [kind, what] = value as readonly unknown[];
  if (typeof what === 'number' && Number.isSafeInteger(what) && what > 0) {
    if (kind === 'goroutine') return { kind, id: what };
    if (kind === 'record') return { kind, seq: what };
  }
  if (typeof what !== 'string' || what === '' || what.length > 300) return undefined;
  if (kind === 'pod') return { kind, uid: what };
  if (kind === 'channel') return { kind, name: what };
  if (kind === 'container' || kind === 'sandbox') return { kind, id: what };
  const part = kind === 'part' ? parts.find((p) => p === what) : undefined;
  if (part) return { kind: 'part', part };
  return undefined;
}
