import type { FindingsAnswer, IncidentsAnswer, Overview } from '@syncloop/core/debug';
import { create } from 'zustand';
import { useUI } from '../../page/ui-store.js';
import { AskAgain } from '../../run/ask-again.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import type { ObservedFile, RefusedFile } from '../../session/worker/open-message.js';
import type { FileLink } from './logic/file-link.js';

export interface ObservedState {
  readonly findings: FindingsAnswer | null;
  readonly incidents: IncidentsAnswer | null;
  readonly overview: Overview | null;
  /** Files that were opened with the others, and from which nothing is read. */
  readonly refused: readonly RefusedFile[];
  /** The nodes that the files are of, if their names say so; the one that is shown, and how another is. */
  readonly nodes: readonly string[];
  readonly shown: string;
  readonly showNode: ((node: string) => Promise<unknown>) | null;
  /** The files that are read; none if the session's sources are elsewhere. */
  readonly files: readonly ObservedFile[];
  /** A link to a moment of a file, as long as the file is not here. */
  readonly link: FileLink | null;
  /** The moment of a finding that was gone to last, by its id. */
  readonly moments: Readonly<Record<string, number>>;
}
const NOTHING: ObservedState = {
  findings: null,
  incidents: null,
  overview: null,
  refused: [],
  nodes: [],
  shown: '',
  showNode: null,
  files: [],
  link: null,
  moments: {},
};

export const useObserved = create<ObservedState>(() => NOTHING);

/** The interval of questions while something is read or still goes on, ms. */
const EVERY = 600;

const isObserved = () => useSession.getState().info?.capabilities.observed === true;
/** Nothing is asked while no part shows the answers. */
const wanted = () => isObserved() || useUI.getState().left === 'findings';

/** Values on which the answers depend. */
function version(): string {
  const { info, run } = useSession.getState();
  if (!info) return '';
  const { reading } = run;
  return reading ? `${info.id} ${reading.records} ${reading.ended}` : `${info.id} ${trace.cursor.epoch} ${run.seq}`;
}

const asking = new AskAgain({
  version,
  wanted,
  pause: () => (useObserved.getState().findings ? EVERY : 0),
  async ask(mine) {
    try {
      const findings = await session.command({ do: 'findings' });
      const incidents = await session.command({ do: 'incidents' }).catch(() => null);
      const overview = isObserved() ? await session.command({ do: 'overview' }) : null;
      if (mine()) useObserved.setState({ findings, incidents, overview });
    } catch {
      // A session that has ended, or does not know these questions, has no answer.
      if (mine()) useObserved.setState({ findings: null, incidents: null, overview: null });
    }
  },
});

/** Keeps the answers up to date for as long as the page is open. */
export function followFindings(): void {
  useSession.subscribe(({ info }, before) => {
    if (info?.id !== before.info?.id) {
      const { refused, nodes, shown, showNode, files, link } = useObserved.getState();
      // The files are known before their session is.
      const here = info === null || info.capabilities.observed === true || info.capabilities.twin === true;
      const of = info === null ? {} : { refused, nodes, shown, showNode };
      useObserved.setState({ ...NOTHING, ...of, files: here ? files : [], link });
      asking.forget();
    }
    if (wanted()) asking.soon();
  });
  useUI.subscribe(({ left }, before) => {
    if (left !== before.left && wanted()) asking.soon();
  });
}
