import { memo } from 'react';
import { useT } from '../../../i18n/index.js';
import { useTrace } from '../../../run/use-trace.js';
import { Selectable } from '../../../selection/selectable.js';
import { seconds, shortPod } from '../../../units/text.js';
import { queueOf, sleeper, ticking } from '../parts/parts-everything.js';
import { ExtraBox, RanLine, RoundLine } from './box.js';
import { useFacts } from './use-facts.js';

const SECOND = 1_000_000;
const CONTAINER_GC = 60 * SECOND;
const LOG_ROTATION = 10 * SECOND;

const goroutine = (id: number) => (id > 0 ? ({ kind: 'goroutine', id } as const) : null);

export const ContainerGC = memo(function ContainerGC() {
  const t = useT();
  const round = useTrace((s, c) => sleeper(s, 'containerGC', CONTAINER_GC, c.time));
  const ran = useFacts((f) => {
    const r = f.routines['Containers/GarbageCollect'];
    return { runs: r?.runs ?? 0, last: r?.began ?? null, error: r?.error ?? '' };
  });
  return (
    <ExtraBox id="containerGC" selection={goroutine(round.goroutine)} dim={!round.alive}>
      <p className="sl-small">{t('all.containerGC.what')}</p>
      <RoundLine round={round} period={CONTAINER_GC} />
      <RanLine {...ran} />
    </ExtraBox>
  );
});

export const Deletor = memo(function Deletor() {
  const t = useT();
  const queue = useTrace((s) => queueOf(s, 'podContainerDeletor'));
  return (
    <ExtraBox id="deletor" selection={{ kind: 'channel', name: 'podContainerDeletor' }} dim={!queue.exists}>
      <p className="sl-small">{t('all.deletor.what')}</p>
      <p className="sl-tabular">{t('all.waiting', { n: `${queue.count}/${queue.cap}` })}</p>
    </ExtraBox>
  );
});

export const Logs = memo(function Logs() {
  const t = useT();
  const round = useTrace((s, c) => ticking(s, 'containerLogManager', 'logRotateTicker', LOG_ROTATION, c.time));
  return (
    <ExtraBox id="logs" selection={goroutine(round.goroutine)} dim={!round.alive}>
      <p className="sl-small">{t('all.logs.what')}</p>
      <RoundLine round={round} period={LOG_ROTATION} />
    </ExtraBox>
  );
});

export const Allocation = memo(function Allocation() {
  const t = useT();
  const queue = useTrace((s) => queueOf(s, 'pendingResizes'));
  return (
    <ExtraBox id="allocation" selection={{ kind: 'channel', name: 'pendingResizes' }} dim={!queue.exists}>
      <p className="sl-small">{t('all.allocation.what')}</p>
      <p className="sl-tabular">{t('all.resizes', { n: queue.count })}</p>
    </ExtraBox>
  );
});

export const Deadline = memo(function Deadline() {
  const t = useT();
  const last = useFacts((f) => f.deadline && { ...f.deadline });
  return (
    <ExtraBox id="deadline" dim={last === null}>
      <p className="sl-small">{t('all.deadline.what')}</p>
      {last ? (
        <p>
          <Selectable selection={{ kind: 'record', seq: last.seq }} className="sl-link">
            {t('all.deadline.last', {
              what: `${last.verdict} ${shortPod(last.pod)} · ${t('time.s', { n: seconds(last.time, 1) })}`,
            })}
          </Selectable>
        </p>
      ) : (
        <p className="sl-small sl-quiet-text u-faint">{t('all.deadline.none')}</p>
      )}
    </ExtraBox>
  );
});

/** Names, without drawing them, the parts that a real kubelet has and this one does not. */
export const Absent = memo(function Absent() {
  const t = useT();
  return (
    <ExtraBox id="absent" dim>
      <p className="sl-small">{t('all.absent.what')}</p>
    </ExtraBox>
  );
});
