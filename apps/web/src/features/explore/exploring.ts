/** Starts, stops and follows explorations on the page's session. */
import { messageOf } from '@syncloop/core/base';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { here, refreshBranches } from '../branches/branches.js';
import { type ExploreEnd, useExplore } from './explore-store.js';
import { problemOf, requestOf } from './logic/request.js';

const get = useExplore.getState;

/** Starts the form's exploration from the session's position. Resolves when it has ended. */
export async function start(): Promise<void> {
  const { draft, running } = get();
  if (running || problemOf(draft)) return;
  const { command, seconds } = requestOf(draft);
  let ended: ExploreEnd = 'done';
  let timer: ReturnType<typeof setTimeout> | undefined;
  useExplore.setState({ running: { since: performance.now(), seconds }, explored: null, error: '' });
  try {
    if (session.latest?.running) await session.command({ do: 'pause' });
    const { info } = useSession.getState();
    const { deviations = [], scenario, to } = await session.command({ do: 'spec' });
    const time = session.latest?.time ?? 0;
    const branch = here();
    timer = setTimeout(() => {
      ended = 'time';
      void stop();
    }, seconds * 1000);
    const report = await session.command(command);
    if (!report.over && ended === 'done') ended = 'stopped';
    if (report.over) ended = 'done';
    await refreshBranches();
    useExplore.setState({
      explored: {
        report,
        session: info?.id ?? '',
        branch,
        scenario,
        from: { time, step: to.step },
        own: deviations,
        ended,
      },
    });
  } catch (error) {
    useExplore.setState({ error: messageOf(error) });
  } finally {
    clearTimeout(timer);
    useExplore.setState({ running: null });
  }
}

/** Ends the exploration under way; it reports its findings so far. */
export async function stop(): Promise<void> {
  if (get().running) await session.command({ do: 'pause' }).catch(() => {});
}

/**
 * Goes to the point at which a branch leaves the one that it comes from, in that branch: the next decision is the
 * different one.
 */
async function standBefore(branch: number): Promise<void> {
  const found = (await refreshBranches()).find((b) => b.id === branch);
  if (!found) throw new Error(t('explore.dropped'));
  await session.command({ do: 'switch', branch, to: found.forkedAt });
  await refreshBranches();
  useUI.setState({ selection: null });
  notify(t('explore.standing', { name: found.name }));
}

/** Goes to the smallest schedule that shows a problem. */
export async function followFinding(index: number): Promise<void> {
  const branch = get().explored?.report.findings[index]?.branch;
  if (branch === undefined) throw new Error(t('explore.noBranch'));
  await standBefore(branch);
}

/** Goes to the first schedule with that outcome, as a branch that ends where its run ended. */
export async function followOutcome(index: number): Promise<void> {
  const outcome = get().explored?.report.outcomes[index];
  if (!outcome) return;
  const { first, end } = outcome;
  const name = t('explore.branchName', { n: index + 1 });
  const known = (await refreshBranches()).find((b) => b.name === name && b.end.seq === end.seq);
  const branch = known?.id ?? (await session.command({ do: 'branchTo', name, deviations: first.deviations, to: end }));
  await standBefore(branch);
}
