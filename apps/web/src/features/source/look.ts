import type { RecordStore } from '@syncloop/core/debug';
import type { Seq } from '@syncloop/core/trace';
import { type Marked, markedOf } from './logic/source-lines.js';
import type { OpenCall, SourcePosition } from './logic/source-position.js';
import type { Sources } from './logic/source-types.js';

/** The content of the tab at one moment. */
export interface Look {
  readonly position: SourcePosition;
  /** The call in sight, null if no open one is in our sources. */
  readonly call: OpenCall | null;
  readonly marked: Marked | null;
  /** The call that was asked for, if it is not in our sources. */
  readonly missing: string;
}

/** `picked`: `seq` of the call that was asked for, 0 for the innermost one. */
export function lookAt(sources: Sources, records: RecordStore, position: SourcePosition, picked: Seq): Look {
  const { calls, seq } = position;
  const asked = calls.findIndex((c) => c.seq === picked);
  const wanted = asked >= 0 ? asked : calls.length - 1;
  for (let i = wanted; i >= 0; i--) {
    const call = calls[i] as OpenCall;
    const marked = markedOf(sources, records, call, seq);
    if (marked) return { position, call, marked, missing: i === wanted ? '' : (calls[wanted]?.fn ?? '') };
  }
  return { position, call: null, marked: null, missing: calls[wanted]?.fn ?? '' };
}
