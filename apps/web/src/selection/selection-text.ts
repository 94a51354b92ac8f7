/** A selection as two words, for links, notes and classes: what kind of thing, and which. */
import type { Part, Selection } from '../page/ui-store.js';

const PARTS: Readonly<Record<Part, true>> = {
  loop: true,
  pleg: true,
  cri: true,
  status: true,
  probes: true,
  podConfig: true,
  'source-file': true,
  'source-http': true,
  'source-api': true,
  images: true,
  managers: true,
  node: true,
  lease: true,
  apiServer: true,
  volumes: true,
  eviction: true,
  cgroups: true,
  oom: true,
  shutdown: true,
  stats: true,
};

/** What names a selection of its kind. */
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

/** What was selected; undefined for what this page cannot select: a link is no worse without it. */
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
  if (kind === 'part' && Object.hasOwn(PARTS, what)) return { kind, part: what as Part };
  return undefined;
}
