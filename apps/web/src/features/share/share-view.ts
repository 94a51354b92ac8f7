/** The look of the page, for links: what cannot be understood is left out, as a link is no worse without it. */
import { own } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import type { InspectorTab } from '../../page/ui-store.js';
import { LEVELS, type Level } from '../graph/index.js';

export interface LinkView {
  readonly level?: Level;
  /** Names of the open panels; null: closed. Whether there are such panels is for the page to say. */
  readonly left?: string | null;
  readonly bottom?: string | null;
  readonly inspectorOpen?: boolean;
  readonly inspectorTab?: InspectorTab;
  readonly filter?: string;
}

const TABS: Readonly<Record<InspectorTab, true>> = {
  what: true,
  why: true,
  changed: true,
  history: true,
  source: true,
};
const MOST_FILTER = 500;

/** Returns the view in a link's short form. */
export function shortView({ level, left, bottom, inspectorOpen, inspectorTab, filter }: LinkView): Json {
  return {
    ...(level && { g: level }),
    ...(left && { l: left }),
    ...(bottom && { b: bottom }),
    ...(inspectorOpen && { i: inspectorTab ?? 'what' }),
    ...(filter && { f: filter.slice(0, MOST_FILTER) }),
  };
}

/** Returns the part of it that this page can show; undefined if a link has none. */
export function viewFrom(value: unknown): LinkView | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const level = LEVELS.find((l) => l === own(value, 'g'));
  const tab = key(TABS, own(value, 'i'));
  const filter = own(value, 'f');
  return {
    ...(level && { level }),
    left: word(own(value, 'l')),
    bottom: word(own(value, 'b')),
    inspectorOpen: tab !== undefined,
    ...(tab && { inspectorTab: tab }),
    filter: typeof filter === 'string' && filter.length <= MOST_FILTER ? filter : '',
  };
}

const word = (value: unknown): string | null =>
  typeof value === 'string' && /^[a-z]{1,30}$/i.test(value) ? value : null;

function key<K extends string>(of: Readonly<Record<K, true>>, value: unknown): K | undefined {
  return typeof value === 'string' && Object.hasOwn(of, value) ? (value as K) : undefined;
}
