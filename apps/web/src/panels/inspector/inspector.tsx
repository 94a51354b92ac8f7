import { runCommand } from '../../app-logic/commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../store/session-store.js';
import { type InspectorTab, type Selection, useUI } from '../../store/ui-store.js';
import { trace } from '../../trace/trace-store.js';
import { useThrottled } from '../../trace/use-throttled.js';
import { useTrace } from '../../trace/use-trace.js';
import { nameOf, valuesOf } from '../../view-logic/selection.js';
import { PanelHead } from '../../widgets/panel-head.js';
import { History } from './history.js';
import { ValueTree } from './value-tree.js';
import { Why } from './why.js';

const TABS: readonly InspectorTab[] = ['what', 'history', 'why'];

/** What is selected: its values, its records, and what made it happen. */
export function Inspector() {
  const t = useT();
  const open = useUI((s) => s.inspectorOpen);
  const selection = useUI((s) => s.selection);
  if (!open) return null;
  const close = () => useUI.setState({ inspectorOpen: false, selection: null });
  return (
    <aside className="sl-panel sl-inspector" aria-label={t('region.inspector')} data-testid="inspector">
      {selection ? (
        <Selected selection={selection} onClose={close} />
      ) : (
        <>
          <PanelHead title={t('region.inspector')} onClose={close} />
          <p className="sl-empty">{t('inspector.none')}</p>
        </>
      )}
    </aside>
  );
}

function Selected({ selection, onClose }: { readonly selection: Selection; readonly onClose: () => void }) {
  const t = useT();
  const tab = useUI((s) => s.inspectorTab);
  const name = useTrace((s) =>
    nameOf(s, selection, selection.kind === 'record' ? trace.records.get(selection.seq) : undefined),
  );
  const title = selection.kind === 'part' ? t(`part.${selection.part}`) : name;
  return (
    <>
      <PanelHead title={title} onClose={onClose}>
        <span className="sl-small sl-kind">{selection.kind === 'part' ? '' : t(`kind.${selection.kind}`)}</span>
      </PanelHead>
      <div className="sl-tabs" role="tablist">
        {TABS.map((id) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`sl-tab-${id}`}
            aria-selected={tab === id}
            aria-controls="sl-tabpanel"
            tabIndex={tab === id ? 0 : -1}
            className="sl-tab"
            onClick={() => useUI.setState({ inspectorTab: id })}
            onKeyDown={(e) => {
              const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
              if (!by) return;
              e.preventDefault();
              const next = TABS[(TABS.indexOf(id) + by + TABS.length) % TABS.length] ?? 'what';
              useUI.setState({ inspectorTab: next });
              document.getElementById(`sl-tab-${next}`)?.focus();
            }}
          >
            {t(`inspector.${id}`)}
          </button>
        ))}
      </div>
      <div className="sl-scroll" role="tabpanel" id="sl-tabpanel" aria-labelledby={`sl-tab-${tab}`}>
        {tab === 'what' && <What key={JSON.stringify(selection)} selection={selection} />}
        {tab === 'history' && <History selection={selection} />}
        {tab === 'why' && <Why selection={selection} />}
      </div>
    </>
  );
}

function What({ selection }: { readonly selection: Selection }) {
  const t = useT();
  const intervene = useSession((s) => s.info?.capabilities.intervene ?? false);
  const value = useThrottled(
    () => valuesOf(trace.state, selection, selection.kind === 'record' ? trace.records.get(selection.seq) : undefined),
    JSON.stringify(selection),
    100,
  );
  const target = useTrace((s) => {
    if (selection.kind !== 'container') return null;
    const c = s.containers[selection.id];
    return c?.state === 'running' ? { uid: c.uid, container: c.name } : null;
  });
  if (value === null) return <p className="sl-empty">{t('inspector.gone')}</p>;
  return (
    <>
      {target && intervene && (
        <div className="sl-pad">
          <button type="button" className="sl-button sl-danger" onClick={() => runCommand('pod.kill', target)}>
            {t('inspector.kill')}
          </button>
        </div>
      )}
      <ValueTree value={value} />
    </>
  );
}
