import { memo } from 'react';
import { useSession } from '../../store/session-store.js';
import { useTrace } from '../../trace/use-trace.js';
import { HANDLERS } from '../../view-logic/geometry.js';
import { handlersPart } from '../../view-logic/parts.js';
import { Selectable } from './part.js';

const Handler = memo(function Handler({ name, index }: { readonly name: string; readonly index: number }) {
  const args = useTrace((s) => {
    const part = handlersPart(s);
    return part.running === index ? part.args || ' ' : null;
  });
  const next = useSession((s) => s.run.next.includes(name));
  return (
    <div
      className="sl-handler"
      data-active={args !== null || undefined}
      data-next={next || undefined}
      data-testid={`handler-${name}`}
    >
      <Selectable selection={{ kind: 'part', part: 'loop' }} className="sl-part-title sl-code" label={name}>
        <span className="sl-dim-prefix">HandlePod</span>
        {name.slice('HandlePod'.length)}
      </Selectable>
      <span className="sl-small">{args !== null && <>▸ {args}</>}</span>
    </div>
  );
});

/** SyncHandler's six methods; the loop runs at most one of them. */
export const HandlersNode = memo(function HandlersNode() {
  return (
    <div className="sl-handlers">
      {HANDLERS.map((name, i) => (
        <Handler key={name} name={name} index={i} />
      ))}
    </div>
  );
});
