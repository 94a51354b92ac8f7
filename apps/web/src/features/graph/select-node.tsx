import { memo } from 'react';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { CHANNELS, type ChannelKey } from './geometry/geometry.js';
import { Selectable } from './part.js';
import { channelPart, selectPart } from './parts/parts.js';

const Port = memo(function Port({ channel, index }: { readonly channel: ChannelKey; readonly index: number }) {
  const state = useTrace((s) => {
    const part = selectPart(s);
    if (part.chosen === index) return 'chosen';
    return channelPart(s, channel).ready || part.ready.includes(index) ? 'ready' : 'idle';
  });
  return <span className="sl-port" data-state={state} title={channel} />;
});

/** Where a die's spots are, for one to six. */
const SPOTS: readonly string[] = [
  '',
  '8,8',
  '4,4 12,12',
  '4,4 8,8 12,12',
  '4,4 12,4 4,12 12,12',
  '4,4 12,4 8,8 4,12 12,12',
  '4,4 12,4 4,8 12,8 4,12 12,12',
];

/** A die that shows how many cases were ready. */
export function Die({ n }: { readonly n: number }) {
  return (
    <svg className="sl-die" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <rect x="0.5" y="0.5" width="15" height="15" rx="3" />
      {(SPOTS[Math.min(n, 6)] ?? '').split(' ').map((spot) => {
        const [x, y] = spot.split(',');
        return <circle key={spot} cx={x} cy={y} r="1.5" />;
      })}
    </svg>
  );
}

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
  return (
    <div className="sl-select" data-phase={part.phase} data-testid="select">
      <Selectable
        selection={{ kind: 'part', part: 'loop' }}
        className="sl-part-title"
        label={`syncLoop: ${phase}, ${t('graph.iteration', { n: part.iteration })}`}
        title={[phase, ...part.errors].join('\n')}
      >
        {''}
      </Selectable>
      {CHANNELS.map((key, i) => (
        <Port key={key} channel={key} index={i} />
      ))}
      <span
        className="sl-select-top"
        title={many ? t(asking ? 'graph.manyReadyAsk' : 'graph.manyReady', { n: part.ready.length }) : undefined}
      >
        {many && <Die n={part.ready.length} />}
      </span>
      <span className="sl-select-foot">
        {part.phase === 'backoff' ? '✕' : part.phase === 'off' ? '' : `#${part.iteration}`}
      </span>
    </div>
  );
});
