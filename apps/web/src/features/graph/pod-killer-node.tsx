import { memo } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { POD_KILLING_CHANNEL } from '../../run/pod-killer.js';
import { useTrace } from '../../run/use-trace.js';
import { Selectable } from '../../selection/selectable.js';
import { Elapsed } from './lanes/lane.js';
import { PartBox } from './part.js';
import { podKillerPart } from './parts/parts-pod-killer.js';
import './styles/pod-killer.css';

/**
 * The pod killer of the versions that have one: its channel, the requests that wait there, and one goroutine for each
 * pod that it kills, apart from the pod's worker.
 */
export const PodKillerNode = memo(function PodKillerNode() {
  const t = useT();
  const part = useTrace((s, _, { records }) => podKillerPart(s, (seq) => records.get(seq)?.time));
  return (
    <PartBox
      kind="desired"
      id="podKiller"
      className="sl-lower sl-pod-killer"
      active={part.kills.length > 0}
      testId="podKiller"
      head={
        <Selectable selection={{ kind: 'part', part: 'podKiller' }} className="sl-part-title">
          {t('podKiller.title')}
        </Selectable>
      }
    >
      <div className="sl-row-line u-line u-gap-8 u-target" data-full={part.count > 0 || undefined}>
        <Selectable
          selection={{ kind: 'channel', name: POD_KILLING_CHANNEL }}
          className="sl-link sl-code"
          title={t('graph.cap', { n: part.cap })}
        >
          {POD_KILLING_CHANNEL}
        </Selectable>
        <span className="sl-tabular sl-pod-killer-count u-push">
          {part.count}/{part.cap}
        </span>
      </div>
      {part.kills.length + part.items.length === 0 ? (
        <p className="sl-empty">{t('podKiller.none')}</p>
      ) : (
        <ul className="sl-list u-relative u-no-pointer u-z-1">
          {part.kills.map((kill) => (
            <li key={kill.id} data-open>
              <Selectable
                selection={{ kind: 'goroutine', id: kill.id }}
                className="sl-link"
                title={t('podKiller.kills', { pod: kill.pod })}
              >
                {kill.pod}
              </Selectable>
              <span className="sl-tabular sl-pod-killer-count u-push">
                <Elapsed since={kill.since} />
              </span>
            </li>
          ))}
          {part.items.map((item) => (
            <li key={item.seq}>
              <Selectable
                selection={{ kind: 'record', seq: item.seq }}
                className="sl-link"
                title={t('podKiller.waits', { pod: item.pod })}
                also={() => runCommand('view.followItem', item.seq)}
              >
                {item.pod}
              </Selectable>
              <span className="sl-who u-grow u-ellipsis u-text-right u-faint">{t('podKiller.waiting')}</span>
            </li>
          ))}
        </ul>
      )}
    </PartBox>
  );
});
