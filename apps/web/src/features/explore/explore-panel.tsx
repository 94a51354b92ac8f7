import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import './explore.css';
import { canExplore } from './commands.js';
import { ExploreForm } from './explore-form.js';
import { ExploreResults } from './explore-results.js';

/** Explores what else this run may lead to: the form at the left, the result at the right. */
export function ExplorePanel() {
  const t = useT();
  const can = useSession(() => canExplore());
  if (!can) return <p className="sl-empty">{t('branches.none')}</p>;
  return (
    <div className="sl-explore u-flex u-height-full" data-testid="explore">
      <ExploreForm />
      <ExploreResults />
    </div>
  );
}
