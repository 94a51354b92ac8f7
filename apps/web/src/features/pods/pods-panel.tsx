import { type PodRow, podRow, podsOf } from '@syncloop/core/kubectl';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { useThrottled } from '../../run/use-throttled.js';
import { useTrace } from '../../run/use-trace.js';
import { Selectable } from '../../selection/selectable.js';
import { CommandButton } from '../../ui/command-button.js';
import { toneOf } from '../../units/pod-tone.js';
import { ContainerShape, lanePart, lanes, podVolumes } from '../graph/index.js';
import '../../ui/styles/tables.css';

/** The pods as an outline: the same as the lanes, for reading and for screen readers. */
export function PodsPanel() {
  const t = useT();
  const order = useTrace(() => lanes.order());
  const faults = useSession(() => isAvailable('faults.open'));
  const rows = useThrottled(rowsByUid, '', 500);
  if (order.length === 0) return <p className="sl-empty">{t('pods.none')}</p>;
  return (
    <div className="sl-scroll u-grow u-min-height-0 u-scroll">
      <div className="sl-pad sl-group">
        {faults && <CommandButton id="faults.open" />}
        <CommandButton id="view.podTable" label={t('command.podTable')}>
          {t('panel.podTable')}
        </CommandButton>
      </div>
      <ul className="sl-cards u-pad-8">
        {order.map((uid) => (
          <PodItem key={uid} uid={uid} row={rows.get(uid)} />
        ))}
      </ul>
    </div>
  );
}

/** Returns the rows of `kubectl get pods`, by uid. */
function rowsByUid(): ReadonlyMap<string, PodRow> {
  const { info } = useSession.getState();
  const now = (info?.epochMillis ?? 0) + trace.cursor.time / 1000;
  return new Map(podsOf(trace.state, info?.node ?? '').map((pod) => [pod.metadata.uid, podRow(pod, now)]));
}

function PodItem({ uid, row }: { readonly uid: string; readonly row: PodRow | undefined }) {
  const t = useT();
  const part = useTrace((s) => lanePart(s, uid));
  const volumes = useTrace((s) => podVolumes(s.pods[uid]?.volumes ?? {}));
  const intervene = useSession((s) => s.info?.capabilities.intervene ?? false);
  if (!part) return null;
  const { name, namespace } = row ?? { name: '', namespace: '' };
  const where = namespace === 'default' || namespace === '' ? '' : ` -n ${namespace}`;
  const ask = (line: string) => {
    useUI.setState({ bottom: 'console' });
    runCommand('console.run', line);
  };
  return (
    <li className="sl-card u-border-top">
      <h3 className="u-fs-2 u-weight-600">
        <Selectable selection={{ kind: 'pod', uid }} className="sl-link sl-code">
          {part.pod}
        </Selectable>
      </h3>
      <p className="u-dim">
        {row ? (
          <strong data-tone={toneOf(row.status)}>{row.status}</strong>
        ) : (
          <span className="sl-phase u-fs-1 u-dim" data-phase={part.phase}>
            {part.phase || t('graph.phaseNone')}
          </span>
        )}{' '}
        {row && <span className="sl-small sl-tabular">{t('pods.ready', { ready: row.ready, age: row.age })}</span>}
      </p>
      <ul className="sl-sublist">
        {part.sandbox?.containers.map((c) => (
          <li className="u-row u-gap-8" key={c.id}>
            <Selectable selection={{ kind: 'container', id: c.id }} className="sl-link">
              <ContainerShape state={c.state} exitCode={c.exitCode} /> {c.name}
            </Selectable>
            <span className="sl-small">
              {t(`state.${c.state}`)} {c.exitCode !== null && c.state === 'exited' ? c.exitCode : ''}{' '}
              {c.restarts > 0 && `×${c.restarts}`}
            </span>
            {intervene && name !== '' && (
              <button
                type="button"
                className="sl-button sl-quiet"
                aria-label={t('pods.logsOf', { name: c.name })}
                onClick={() => ask(`kubectl logs ${name}${where} -c ${c.name} --tail 100`)}
              >
                {t('pods.logs')}
              </button>
            )}
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
      {volumes.length > 0 && (
        <ul className="sl-sublist" aria-label={t('pods.volumes')}>
          {volumes.map((v) => (
            <li className="u-row u-gap-8" key={v.key} data-testid="pod-volume">
              <span className="sl-code">{v.volume}</span>
              <span className={v.error === '' ? 'sl-small' : 'sl-small sl-bad'} title={v.error}>
                {v.plugin} · {t(`volume.${v.state}`)}
                {v.failures > 0 && ` ×${v.failures}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {name !== '' && (
        <button
          type="button"
          className="sl-button sl-quiet"
          aria-label={t('pods.describeOf', { name })}
          onClick={() => ask(`kubectl describe pod ${name}${where}`)}
        >
          {t('pods.describe')}
        </button>
      )}
    </li>
  );
}
