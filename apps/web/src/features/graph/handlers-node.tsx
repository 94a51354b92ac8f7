import { memo } from 'react';
import { HANDLERS } from '../../run/loop.js';
import { useTrace } from '../../run/use-trace.js';
import { Selectable } from '../../selection/selectable.js';
import { useMoment } from './moment.js';
import { handlersPart } from './parts/parts.js';
import { recent } from './parts/recent-items.js';

const Handler = memo(function Handler({ name, index }: { readonly name: string; readonly index: number }) {
  const call = useTrace((s, c) => {
    const part = handlersPart(s);
    if (part.running === index) return { now: true, args: part.args, seq: undefined };
    const before = recent.handler(index, c.time);
    return before && { now: false, args: before.label, seq: before.seq };
  });
  const earlier = useMoment((s) => call?.seq !== undefined && call.seq < s.pass);
  return (
    <div
      className="sl-handler u-column u-grow u-min-height-0 u-relative u-pad-tag u-border u-round u-panel"
      data-active={call?.now || undefined}
      data-recent={(call && !call.now && !earlier) || undefined}
      data-earlier={earlier || undefined}
      data-testid={`handler-${name}`}
    >
      <Selectable selection={{ kind: 'part', part: 'loop' }} className="sl-part-title sl-code" label={name}>
        <span className="sl-dim-prefix u-faint">HandlePod</span>
        {name.slice('HandlePod'.length)}
      </Selectable>
      <span className="sl-small">{call && (call.now || call.args !== '') && <>▸ {call.args}</>}</span>
    </div>
  );
});

/** SyncHandler's six methods; the loop runs at most one of them. */
export const HandlersNode = memo(function HandlersNode() {
  return (
    <div className="sl-handlers u-column u-gap-6 u-height-full">
      {HANDLERS.map((name, i) => (
        <Handler key={name} name={name} index={i} />
      ))}
    </div>
  );
});
