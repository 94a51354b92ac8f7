import type { NarrationPart, NarrationRef } from '@syncloop/core/trace';
import type { Selection } from '../../page/ui-store.js';
import { keyOfChannel } from '../../run/loop.js';
import { trace } from '../../run/trace-store.js';
import { Selectable } from '../../selection/selectable.js';

/** Returns the selection of a name in a sentence. */
export function selectionOf(ref: NarrationRef): Selection {
  switch (ref.kind) {
    case 'pod':
      return { kind: 'pod', uid: ref.id };
    case 'container':
      return trace.state.sandboxes[ref.id] ? { kind: 'sandbox', id: ref.id } : { kind: 'container', id: ref.id };
    case 'channel': {
      const name = trace.state.channels[ref.id]?.name ?? ref.id;
      return { kind: 'channel', name: keyOfChannel(name) ?? name };
    }
    case 'goroutine':
      return { kind: 'goroutine', id: Number(ref.id) };
    case 'record':
      return { kind: 'record', seq: Number(ref.id) };
  }
}

export function Sentence({ parts }: { readonly parts: readonly NarrationPart[] }) {
  return parts.map((part, i) =>
    typeof part === 'string' ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no other identity
      <Selectable key={i} selection={selectionOf(part.ref)} className="sl-link">
        {part.text}
      </Selectable>
    ),
  );
}
