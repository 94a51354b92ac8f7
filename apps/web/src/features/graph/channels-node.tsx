import { memo } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { CHANNELS, type ChannelKey, INPUT_SINCE } from '../../run/loop.js';
import { useTrace } from '../../run/use-trace.js';
import { Selectable } from '../../selection/selectable.js';
import { duration } from '../../units/text.js';
import { useLoop } from './graph-view.js';
import { useMoment } from './moment.js';
import { Clock } from './part.js';
import { channelPart, SLOTS_SHOWN, TICKERS, tickerFill } from './parts/parts.js';
import { recent } from './parts/recent-items.js';

/** Least height of a channel with its pipe below its name, world pixels. */
const TWO_LINES = 40;

/** The eight inputs of the loop as pipes: the oldest item is at the right, next to the select. */
export const ChannelsNode = memo(function ChannelsNode() {
  const { channels } = useLoop().nodes;
  return (
    <div
      className="sl-channels u-column u-height-full"
      data-one-line={channels.h / CHANNELS.length < TWO_LINES || undefined}
    >
      {CHANNELS.map((key) => (
        <Channel key={key} channel={key} />
      ))}
    </div>
  );
});

const Ticker = memo(function Ticker({ channel }: { readonly channel: ChannelKey }) {
  const t = useT();
  // A clock face needs no finer steps than these.
  const fill = useTrace((s, c) => {
    const f = tickerFill(s, channel, c.time);
    return f === null ? null : Math.round(f * 24) / 24;
  });
  return <Clock fill={fill} label={t('graph.ticks', { s: duration(TICKERS[channel] ?? 0) })} />;
});

/** Shows the version since which the loop has the input; leads to its reason. */
function Since({ channel }: { readonly channel: ChannelKey }) {
  const t = useT();
  const version = INPUT_SINCE[channel] ?? '';
  const label = t('graph.sinceVersion', { version });
  if (!isAvailable('change.show')) return <span>{label}</span>;
  return (
    <button
      type="button"
      className="sl-link"
      aria-label={t('graph.sinceWhy', { channel, version })}
      title={t('graph.sinceWhy', { channel, version })}
      onClick={() => runCommand('change.show', { name: channel, since: version })}
    >
      {label}
    </button>
  );
}

const Channel = memo(function Channel({ channel }: { readonly channel: ChannelKey }) {
  const t = useT();
  const part = useTrace((s) => channelPart(s, channel));
  const last = useTrace((_, c) => recent.channel(channel, c.time));
  const taken = last?.label ?? null;
  const earlier = useMoment((s) => last !== null && last.seq < s.pass);
  if (part.absent)
    return (
      <div className="sl-channel u-min-height-0 u-relative" data-absent data-testid={`channel-${channel}`}>
        <span className="sl-channel-top u-line u-gap-6">
          <span className="sl-code u-fs-1">{channel}</span>
          <Since channel={channel} />
        </span>
      </div>
    );
  const slots = part.cap === 0 ? 1 : Math.min(SLOTS_SHOWN, part.cap);
  const more = part.cap > slots;
  // The first to go is at the right.
  const places = Array.from({ length: slots }, (_, i) => ({ place: slots - i, item: part.items[slots - 1 - i] }));
  // There is room for the item or for the count, and one item is seen below anyway.
  const label = part.items[0]?.label ?? taken;
  const title = [
    part.cap === 0 ? t('graph.unbuffered') : t('graph.cap', { n: part.cap }),
    part.unseen && t('graph.unseen'),
    part.receivers > 0 && t('graph.receivers', { n: part.receivers }),
    part.senders > 0 && t('graph.senders', { n: part.senders }),
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <div
      className="sl-channel u-min-height-0 u-relative"
      data-ready={part.ready || undefined}
      data-full={part.count > 0 || undefined}
      data-chosen={part.chosen || undefined}
      data-recent={(taken !== null && !part.chosen && !earlier) || undefined}
      data-earlier={(taken !== null && part.items.length === 0 && earlier) || undefined}
      data-exists={part.exists || undefined}
      data-unseen={part.unseen || undefined}
      data-testid={`channel-${channel}`}
    >
      <div className="sl-channel-top u-line u-gap-6">
        <Selectable
          selection={{ kind: 'channel', name: channel }}
          className="sl-part-title sl-code u-fs-1"
          title={title}
        >
          {channel}
        </Selectable>
        <span className="sl-item-label u-grow u-min-width-0 u-clip u-fs-1 u-text-right">{label}</span>
        <span className="sl-count u-fs-1 u-tabular u-faint" title={title}>
          {!part.exists || (label && part.count < 2)
            ? ''
            : part.unseen
              ? '?'
              : part.cap === 0
                ? part.count || ''
                : `${part.count}/${part.cap}`}
        </span>
      </div>
      <div className="sl-pipe u-row u-gap-4">
        {TICKERS[channel] !== undefined ? (
          <Ticker channel={channel} />
        ) : (
          <span
            className="sl-senders u-fs-1 u-text-center"
            title={part.senders > 0 ? t('graph.senders', { n: part.senders }) : undefined}
          >
            {part.senders > 0 ? `${part.senders}▸` : ''}
          </span>
        )}
        <div
          className="sl-slots u-flex u-grow u-border-strong"
          data-unbuffered={part.cap === 0 || undefined}
          data-more={more || undefined}
        >
          {places.map(({ place, item }) =>
            item ? (
              <Selectable
                key={place}
                selection={{ kind: 'record', seq: item.seq }}
                className="sl-slot sl-slot-full u-grow u-relative u-round-2 u-pointer u-z-1"
                title={item.label}
                label={item.label || channel}
                also={() => runCommand('view.followItem', item.seq)}
              >
                {''}
              </Selectable>
            ) : (
              <span key={place} className="sl-slot u-grow u-relative u-z-1" />
            ),
          )}
        </div>
        <span
          className="sl-receivers u-fs-1 u-text-center"
          title={part.receivers > 0 ? t('graph.receivers', { n: part.receivers }) : undefined}
        >
          {part.receivers > 0 ? '◃' : ''}
        </span>
      </div>
    </div>
  );
});
