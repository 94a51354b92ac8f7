import { memo } from 'react';
import { useT } from '../../i18n/index.js';
import { CHANNELS, type ChannelKey, inputAbsent } from '../../run/loop.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { Selectable } from '../../selection/selectable.js';
import { Die } from '../../ui/die.js';
import { channelPart, selectPart } from './parts/parts.js';

const Port = memo(function Port({ channel, index }: { readonly channel: ChannelKey; readonly index: number }) {
  const absent = useTrace((s) => inputAbsent(s, channel));
  const state = useTrace((s) => {
    const part = selectPart(s);
    if (part.chosen === index) return 'chosen';
    return channelPart(s, channel).ready || part.ready.includes(index) ? 'ready' : 'idle';
  });
  return (
    <span className="sl-port u-grow u-relative" data-state={state} data-absent={absent || undefined} title={channel} />
  );
});

/** The select of syncLoopIteration: one port for each channel. */
export const SelectNode = memo(function SelectNode() {
  const t = useT();
  const part = useTrace(selectPart);
  const asking = useSession((s) => s.asking);
  const phase = {
    off: t('graph.off'),
    waiting: t('graph.waiting'),
    handling: t('graph.handling'),
    backoff: t('graph.backoff'),
  }[part.phase];
  const many = part.ready.length > 1;
  const phaseText = part.blind && part.phase !== 'off' ? t('graph.blind', { phase }) : phase;
  return (
    <div
      className="sl-select u-column u-width-full u-height-full u-relative u-border-strong u-round u-panel"
      data-phase={part.phase}
      data-testid="select"
    >
      <Selectable
        selection={{ kind: 'part', part: 'loop' }}
        className="sl-part-title"
        label={`syncLoop: ${phaseText}, ${t('graph.iteration', { n: part.iteration })}`}
        title={[phaseText, ...part.errors].join('\n')}
      >
        {''}
      </Selectable>
      {CHANNELS.map((key, i) => (
        <Port key={key} channel={key} index={i} />
      ))}
      <span
        className="sl-select-top u-absolute"
        title={many ? t(asking ? 'graph.manyReadyAsk' : 'graph.manyReady', { n: part.ready.length }) : undefined}
      >
        {many && <Die n={part.ready.length} />}
      </span>
      <span className="sl-select-foot u-absolute u-no-pointer u-fs-1 u-tabular u-text-center u-dim">
        {part.phase === 'backoff'
          ? '✕'
          : part.phase === 'off'
            ? ''
            : part.blind
              ? `≥ ${part.iteration}`
              : `#${part.iteration}`}
      </span>
    </div>
  );
});
