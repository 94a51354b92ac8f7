/** Asks the session for what the strip shows, while it reads, and searches it for the text of the filter field. */
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { COLUMNS } from './logic/strip-scale.js';
import { WholeSearch } from './logic/whole-search.js';
import { isObserved, NOTHING, useStrip } from './strip-store.js';

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
  soon();
  searchFor(useUI.getState().filter);
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
