/** Asks the session for what the strip shows, while it reads, and searches it for the text of the filter field. */
import type { IncidentsAnswer } from '@syncloop/core/debug';
import { useUI } from '../../page/ui-store.js';
import { AskAgain } from '../../run/ask-again.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { useObserved } from '../observed/observed-store.js';
import { COLUMNS } from './logic/strip-scale.js';
import { WholeSearch } from './logic/whole-search.js';
import { isObserved, NOTHING, useStrip } from './strip-store.js';

/** The interval of questions while something is read, ms. */
const EVERY = 700;
/** The time after which a text that is typed is looked for, ms. */
const TYPING = 250;
const SHORTEST = 2;

let typing: ReturnType<typeof setTimeout> | undefined;
let search: WholeSearch | null = null;

function version(): string {
  const { info, run } = useSession.getState();
  return info ? `${info.id} ${run.reading?.records ?? 0} ${run.reading?.ended ?? true}` : '';
}

const asking = new AskAgain({
  version,
  wanted: isObserved,
  pause: () => (useStrip.getState().density ? EVERY : 0),
  async ask(mine) {
    try {
      const density = await session.command({ do: 'density', most: COLUMNS });
      if (mine()) useStrip.setState({ density });
      void search?.look();
    } catch {
      // A session that has ended, or is too old for this question, has no strip.
      if (mine()) useStrip.setState({ density: null });
    }
  },
});

/** Puts the beginnings of the observed run's incidents on the strip. */
function showIncidents(answer: IncidentsAnswer | null): void {
  const incidents = (answer?.incidents ?? [])
    .filter(({ expected }) => !expected)
    .map(({ begin, text }) => ({ ...begin, text }))
    .sort((a, b) => a.seq - b.seq);
  useStrip.setState({ incidents });
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
  asking.soon();
  searchFor(useUI.getState().filter);
  showIncidents(useObserved.getState().incidents);
  useObserved.subscribe(({ incidents }, before) => {
    if (incidents !== before.incidents) showIncidents(incidents);
  });
  useSession.subscribe(({ info }, before) => {
    if (info?.id !== before.info?.id) {
      useStrip.setState(NOTHING);
      asking.forget();
      searchFor(useUI.getState().filter);
    }
    if (isObserved()) asking.soon();
  });
  useUI.subscribe(({ filter }, before) => {
    if (filter !== before.filter) searchFor(filter);
  });
}
