import { useT } from '../../i18n/index.js';
import { useUI } from '../../store/ui-store.js';
import { PanelHead } from '../../widgets/panel-head.js';
import { ManifestsPanel } from './manifests-panel.js';
import { PodsPanel } from './pods-panel.js';
import { ScenariosPanel } from './scenarios-panel.js';

export function LeftPanel() {
  const t = useT();
  const left = useUI((s) => s.left);
  if (!left) return null;
  return (
    <aside className="sl-panel sl-left" aria-label={t('region.left')}>
      <PanelHead title={t(`panel.${left}`)} onClose={() => useUI.setState({ left: null })} />
      {left === 'scenarios' && <ScenariosPanel />}
      {left === 'manifests' && <ManifestsPanel />}
      {left === 'pods' && <PodsPanel />}
    </aside>
  );
}
