import type { Json } from '@syncloop/core/trace';
import type { ReactNode } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import type { Selection } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { useThrottled } from '../../run/use-throttled.js';
import { useTrace } from '../../run/use-trace.js';
import { GoThere } from '../../selection/record-link.js';
import { valuesOf } from '../../selection/selection.js';
import { Slot } from '../../shell/slot.js';
import { AboutPart, GoodToKnow, InTheSource } from './around/around.js';
import { DevicesView } from './around/devices-view.js';
import { NodeView } from './around/node-view.js';
import { CardView } from './card/card-view.js';
import { Goroutine } from './goroutine.js';
import { setRaw, useInspector } from './inspector-store.js';
import { pathOf, type Trail } from './logic/history.js';
import { yamlOf } from './logic/yaml.js';
import { ValueTree } from './value-tree.js';

/** Shows the selection: a card for people, and below a fold its values as they are now. */
export function What({ selection }: { readonly selection: Selection }) {
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
  const raw = useInspector((s) => s.raw);
  if (value === null) return <p className="sl-empty">{t('inspector.gone')}</p>;
  const onField = (trail: Trail) => {
    const path = pathOf(trace.state, selection, value, trail);
    if (path) runCommand('inspector.field', path);
  };
  return (
    <>
      <div className="sl-what-tools u-row u-wrap u-gap-6">
        {target && intervene && (
          <button type="button" className="sl-button sl-danger" onClick={() => runCommand('pod.kill', target)}>
            {t('inspector.kill')}
          </button>
        )}
        {selection.kind === 'record' && <GoThere seq={selection.seq} text />}
      </div>
      <CardView selection={selection} />
      <InTheSource selection={selection} />
      {selection.kind === 'part' && <AboutPart part={selection.part} />}
      {selection.kind === 'part' && selection.part === 'node' && <NodeView />}
      {selection.kind === 'part' && selection.part === 'devices' && <DevicesView />}
      {selection.kind === 'goroutine' && <Goroutine id={selection.id} />}
      <Slot at="inspector.details" props={{ selection }} />
      <GoodToKnow selection={selection} />
      <RawFold>
        <Copy value={value} />
      </RawFold>
      {raw && <ValueTree value={value} onField={selection.kind === 'record' ? undefined : onField} />}
    </>
  );
}

/** Opens and closes the values; they stay open for a user who opened them. */
function RawFold({ children }: { readonly children: ReactNode }) {
  const t = useT();
  const raw = useInspector((s) => s.raw);
  return (
    <div className="sl-raw-head">
      <button
        type="button"
        className="sl-raw-fold u-row u-gap-6 u-width-full u-above-8 u-bare u-pointer u-text-left u-dim"
        aria-expanded={raw}
        onClick={() => setRaw(!raw)}
      >
        <span aria-hidden="true">{raw ? '▾' : '▸'}</span> {t('card.raw')}
      </button>
      {raw && children}
    </div>
  );
}

function Copy({ value }: { readonly value: Json }) {
  const t = useT();
  return (
    <button
      type="button"
      className="sl-button sl-quiet sl-push"
      onClick={() => runCommand('inspector.copy', yamlOf(value))}
    >
      {t('inspector.copy')}
    </button>
  );
}
