import { useEffect } from 'react';
import { isAvailable } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { BranchItem } from './branch-item.js';
import { refreshBranches } from './branches.js';
import { useBranches } from './branches-store.js';
import { ComparisonView } from './comparison-view.js';
import { branchTree } from './logic/branches.js';
import { WhoGoesNext } from './who-goes-next.js';

/** While it runs, the list is asked for only when a run begins or ends; the rest is in the run's own state. */
const REFRESH_MILLIS = 150;

/** The ways that the run took, as a tree, and two of them compared. */
export function BranchesPanel() {
  const t = useT();
  const can = useSession(() => isAvailable('branch.new'));
  const where = useSession(({ info, run }) =>
    [info?.id, run.branch, run.running ? '' : `${run.end?.step} ${run.end?.seq} ${run.stopped}`].join(' '),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known of the branches has changed
  useEffect(() => {
    const timer = setTimeout(() => void refreshBranches().catch(() => {}), REFRESH_MILLIS);
    return () => clearTimeout(timer);
  }, [where]);
  const branches = useBranches((s) => s.branches);
  if (!can) return <p className="sl-empty">{t('branches.none')}</p>;
  const tree = branchTree(branches);
  return (
    <div className="sl-branches u-flex u-height-full" data-testid="branches">
      <div className="sl-branches-tree u-scroll u-border-right">
        <div className="sl-group sl-pad">
          <CommandButton id="branch.new" testId="branch-new">
            {t('branches.new')}
          </CommandButton>
          <CommandButton id="link.copy" />
        </div>
        <ul>
          {tree.map((node) => (
            <BranchItem key={node.branch.id} node={node} />
          ))}
        </ul>
        {branches.length < 2 && <p className="sl-small sl-pad">{t('branches.help')}</p>}
        <WhoGoesNext />
      </div>
      <ComparisonView />
    </div>
  );
}
