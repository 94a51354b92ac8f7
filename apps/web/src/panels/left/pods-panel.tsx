import { isAvailable, runCommand } from '../../app-logic/commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../store/session-store.js';
import { useTrace } from '../../trace/use-trace.js';
import { lanePart } from '../../view-logic/lanes.js';
import { CommandButton } from '../../widgets/command-button.js';
import { lanes } from '../graph/lane-scroll.js';
import { Selectable } from '../graph/part.js';
import { ContainerShape } from '../graph/sandbox.js';

/** The pods as an outline: the same as the lanes, for reading and for screen readers. */
export function PodsPanel() {
  const t = useT();
  const order = useTrace(() => lanes.order());
  const faults = useSession(() => isAvailable('faults.open'));
  if (order.length === 0) return <p className="sl-empty">{t('pods.none')}</p>;
  return (
    <div className="sl-scroll">
      {faults && (
        <div className="sl-pad">
          <CommandButton id="faults.open" />
        </div>
      )}
      <ul className="sl-cards">
        {order.map((uid) => (
          <PodItem key={uid} uid={uid} />
        ))}
      </ul>
    </div>
  );
}

function PodItem({ uid }: { readonly uid: string }) {
  const t = useT();
  const part = useTrace((s) => lanePart(s, uid));
  const intervene = useSession((s) => s.info?.capabilities.intervene ?? false);
  if (!part) return null;
  return (
    <li className="sl-card">
      <h3>
        <Selectable selection={{ kind: 'pod', uid }} className="sl-link sl-code">
          {part.pod}
        </Selectable>
      </h3>
      <p>
        <span className="sl-phase" data-phase={part.phase}>
          {part.phase || t('graph.phaseNone')}
        </span>{' '}
        {part.reason}
      </p>
      <ul className="sl-sublist">
        {part.sandbox?.containers.map((c) => (
          <li key={c.id}>
            <Selectable selection={{ kind: 'container', id: c.id }} className="sl-link">
              <ContainerShape state={c.state} exitCode={c.exitCode} /> {c.name}
            </Selectable>
            <span className="sl-small">
              {t(`state.${c.state}`)} {c.exitCode !== null && c.state === 'exited' ? c.exitCode : ''}{' '}
              {c.restarts > 0 && `×${c.restarts}`}
            </span>
            {intervene && c.state === 'running' && (
              <button
                type="button"
                className="sl-button sl-quiet sl-danger"
                aria-label={t('pods.kill', { name: c.name })}
                onClick={() => runCommand('pod.kill', { uid, container: c.name })}
              >
                {t('command.kill')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </li>
  );
}
