import type { Density } from '@syncloop/core/debug';
import type { Micros } from '@syncloop/core/trace';
import { create } from 'zustand';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { COLUMNS, type Stop } from './logic/strip-scale.js';
import { type SearchState, WholeSearch } from './logic/whole-search.js';

/** An incident on the strip, in both languages. */
export interface IncidentStop extends Stop {
  readonly text: { readonly en: string; readonly zh: string };
}

export interface StripState {
  readonly density: Density | null;
  /** The beginnings of incidents that were not expected, by time. */
  readonly incidents: readonly IncidentStop[];
  readonly search: SearchState | null;
  /** The part that is marked. */
  readonly range: { readonly from: Micros; readonly to: Micros } | null;
}
const NOTHING: StripState = { density: null, incidents: [], search: null, range: null };

export const useStrip = create<StripState>(() => NOTHING);

/** The intervals of questions while something is read, ms: incidents take longer to list. */
const EVERY = 700;
const INCIDENTS_EVERY = 3000;
/** The time after which a text that is typed is looked for, ms. */
const TYPING = 250;
const SHORTEST = 2;

let timer: ReturnType<typeof setTimeout> | undefined;
let typing: ReturnType<typeof setTimeout> | undefined;
let asked = '';
let listedAt = Number.NEGATIVE_INFINITY;
let search: WholeSearch | null = null;

export const isObserved = (): boolean => useSession.getState().info?.capabilities.observed === true;

function version(): string {
  const { info, run } = useSession.getState();
  return info ? `${info.id} ${run.reading?.records ?? 0} ${run.reading?.ended ?? true}` : '';
}

async function ask(): Promise<void> {
  const { info, phase, run } = useSession.getState();
  const now = version();
  if (!info || phase !== 'ready' || !isObserved() || now === asked) return;
  asked = now;
  const mine = () => useSession.getState().info?.id === info.id;
  try {
    const density = await session.command({ do: 'density', most: COLUMNS });
    if (mine()) useStrip.setState({ density });
    if (run.reading?.ended !== false || performance.now() - listedAt > INCIDENTS_EVERY) {
      listedAt = performance.now();
      const { incidents } = await session.command({ do: 'incidents' });
      const stops = incidents
        .filter(({ expected }) => !expected)
        .map(({ begin, text }) => ({ ...begin, text }))
        .sort((a, b) => a.seq - b.seq);
      if (mine()) useStrip.setState({ incidents: stops });
    }
    void search?.look();
  } catch {
    // A session that has ended, or is too old for these questions, has no strip.
    if (mine()) useStrip.setState({ density: null });
  }
}

function soon(): void {
  if (timer !== undefined || version() === asked) return;
  timer = setTimeout(
    async () => {
      timer = undefined;
      await ask();
      soon();
    },
    useStrip.getState().density ? EVERY : 0,
  );
}

function searchFor(text: string): void {
  search?.stop();
  search = null;
  clearTimeout(typing);
  const wanted = text.trim();
  if (wanted.length < SHORTEST || !isObserved()) {
    if (useStrip.getState().search) useStrip.setState({ search: null });
    return;
  }
  typing = setTimeout(() => {
    const mine = new WholeSearch(
      wanted,
      (words, from) => session.command({ do: 'find', text: words, from }),
      (state) => {
        if (search === mine) useStrip.setState({ search: state });
      },
    );
    search = mine;
    useStrip.setState({ search: mine.state });
    void mine.look();
  }, TYPING);
}

/** Stops the search where it is; what was found remains. */
export function stopSearch(): void {
  search?.stop();
  useStrip.setState((s) => ({ search: s.search && { ...s.search, done: true } }));
}

/** Keeps the answers up to date for as long as the page is open. */
export function followStrip(): void {
  useSession.subscribe(({ info }, before) => {
    if (info?.id !== before.info?.id) {
      useStrip.setState(NOTHING);
      asked = '';
      listedAt = Number.NEGATIVE_INFINITY;
      searchFor(useUI.getState().filter);
    }
    if (isObserved()) soon();
  });
  useUI.subscribe(({ filter }, before) => {
    if (filter !== before.filter) searchFor(filter);
  });
}
