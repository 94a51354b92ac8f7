import { Suspense } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { type InspectorTab, type Selection, useUI } from '../../page/ui-store.js';
import { trace } from '../../run/trace-store.js';
import { useTrace } from '../../run/use-trace.js';
import { GoThere } from '../../selection/record-link.js';
import { nameOf } from '../../selection/selection.js';
import { registered } from '../../shell/registry.js';
import { Slot } from '../../shell/slot.js';
import { PanelHead } from '../../ui/panel-head.js';
import { useInspector } from './inspector-store.js';
import './inspector.css';
import './stops.js';

/** Shows the selection: its values, why it is so, what the last step changed of it, and what it was before. */
export function Inspector() {
  const t = useT();
  const open = useUI((s) => s.inspectorOpen);
  const selection = useUI((s) => s.selection);
  const tab = useUI((s) => s.inspectorTab);
  const name = useTrace((s) => (selection ? titleOf(s, selection) : ''));
  if (!open) return null;
  const title = !selection ? t('inspector.node') : selection.kind === 'part' ? t(`part.${selection.part}`) : name;
  return (
    <aside
      id="sl-inspector"
      className="sl-panel sl-inspector u-column u-min-height-0 u-border-left u-panel"
      aria-label={t('region.inspector')}
      data-testid="inspector"
    >
      <PanelHead title={title} onClose={() => useUI.setState({ inspectorOpen: false, selection: null })}>
        <span className="sl-small sl-kind">
          {selection && selection.kind !== 'part' ? t(`kind.${selection.kind}`) : ''}
        </span>
        <Slot at="inspector.head" />
        <Back />
      </PanelHead>
      <Tabs tab={tab} />
      <div
        className="sl-scroll u-grow u-min-height-0 u-scroll"
        role="tabpanel"
        id="sl-tabpanel"
        aria-labelledby={`sl-tab-${tab}`}
      >
        <Suspense fallback={<p className="sl-empty">{t('inspector.looking')}</p>}>
          <Body tab={tab} selection={selection} />
        </Suspense>
      </div>
    </aside>
  );
}

const titleOf = (state: Parameters<typeof nameOf>[0], selection: Selection): string =>
  nameOf(state, selection, selection.kind === 'record' ? trace.records.get(selection.seq) : undefined);

function Body({ tab, selection }: { readonly tab: InspectorTab; readonly selection: Selection | null }) {
  const t = useT();
  const seq = selection?.kind === 'record' ? selection.seq : 0;
  const elsewhere = useTrace((_, { seq: last }, { records }) =>
    seq > 0 && !records.get(seq) ? { first: records.first, last, ahead: seq > records.last } : null,
  );
  const part = registered('inspector').find(({ id }) => id === tab);
  if (!part) return null;
  if (elsewhere && part.lostRecords !== 'all' && (elsewhere.ahead || part.lostRecords !== 'past')) {
    const { first, last, ahead } = elsewhere;
    return (
      <>
        <p className="sl-empty">
          {ahead ? t('inspector.ahead', { seq }) : t('inspector.notHeld', { seq, first, last })}
        </p>
        <div className="sl-pad">
          <GoThere seq={seq} text />
        </div>
      </>
    );
  }
  if (part.withoutSelection) return <part.Body selection={selection} />;
  if (selection) return <part.Body selection={selection} />;
  return (
    <>
      <p className="sl-empty">{t('inspector.none')}</p>
      <div className="sl-pad">
        <button type="button" className="sl-button" onClick={() => runCommand('inspector.changed')}>
          {t('inspector.lastChange')}
        </button>
      </div>
    </>
  );
}

/** Goes back to the selection before: a user who follows a chain wants to come back. */
function Back() {
  const t = useT();
  const before = useInspector((s) => s.trail.at(-1));
  const name = useTrace((s) => (before ? titleOf(s, before) : ''));
  if (!before) return null;
  const label = t('inspector.back', { name: before.kind === 'part' ? t(`part.${before.part}`) : name });
  return (
    <button
      type="button"
      className="sl-button sl-quiet sl-back"
      aria-label={label}
      title={label}
      onClick={() => runCommand('inspector.back')}
    >
      <svg
        className="sl-icon sl-stroke"
        viewBox="0 0 16 16"
        width="16"
        height="16"
        aria-hidden="true"
        focusable="false"
      >
        <path d="M7 3 3 7l4 4M3.500 7h6a3.500 3.500 0 0 1 0 7H8" />
      </svg>
    </button>
  );
}

function Tabs({ tab }: { readonly tab: InspectorTab }) {
  const t = useT();
  const tabs = registered('inspector');
  return (
    <div className="sl-tabs u-row u-gap-2 u-min-width-0 u-border-bottom" role="tablist">
      {tabs.map(({ id, title }, at) => (
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
            const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[e.key];
            if (to === undefined) return;
            e.preventDefault();
            const next = tabs.at(to % tabs.length)?.id ?? 'what';
            useUI.setState({ inspectorTab: next });
            document.getElementById(`sl-tab-${next}`)?.focus();
          }}
        >
          {t(title)}
        </button>
      ))}
    </div>
  );
}
