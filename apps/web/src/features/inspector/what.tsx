import type { Json } from '@syncloop/core/trace';
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
import { AboutPart, GoodToKnow } from './around/around.js';
import { NodeView } from './around/node-view.js';
import { Goroutine } from './goroutine.js';
import { pathOf, type Trail } from './logic/history.js';
import { yamlOf } from './logic/yaml.js';
import { ValueTree } from './value-tree.js';

/** What is selected: its values as they are now. */
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
  if (value === null) return <p className="sl-empty">{t('inspector.gone')}</p>;
  const onField = (trail: Trail) => {
    const path = pathOf(trace.state, selection, value, trail);
    if (path) runCommand('inspector.field', path);
  };
  return (
    <>
      <div className="sl-what-tools">
        {target && intervene && (
          <button type="button" className="sl-button sl-danger" onClick={() => runCommand('pod.kill', target)}>
            {t('inspector.kill')}
          </button>
        )}
        {selection.kind === 'record' && <GoThere seq={selection.seq} text />}
        <Copy value={value} />
      </div>
      {selection.kind === 'part' && <AboutPart part={selection.part} />}
      {selection.kind === 'part' && selection.part === 'node' && <NodeView />}
      {selection.kind === 'goroutine' && <Goroutine id={selection.id} />}
      <Slot at="inspector.details" props={{ selection }} />
      <ValueTree value={value} onField={selection.kind === 'record' ? undefined : onField} />
      {selection.kind === 'part' && <GoodToKnow part={selection.part} />}
    </>
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
