/** Results of `conformance --twin` in shards. */
import type { Shard } from '@syncloop/core/base';
import { anyText, list, object, type Shape, text, whole } from '@syncloop/core/shape';
import { decisionKinds } from '@syncloop/observe/twin';
import { shardShape } from '../../shards/shard-shape.js';
import type { Counts } from './tables.js';

/** The counts of one capture, which the tables add up. */
export interface CaptureResult {
  /** One for each set of its sources. */
  readonly sets: readonly (Counts & { readonly name: string; readonly minor: string })[];
  /** Differences that are not real. */
  readonly invented: number;
}

export interface TwinPart {
  readonly shard: Shard;
  /** `at`: position among all captures. */
  readonly captures: readonly (CaptureResult & { readonly at: number; readonly lines: readonly string[] })[];
}

const counts = object({ compared: whole(0), same: whole(0) });
const kinds = object(Object.fromEntries(decisionKinds.map((kind) => [kind, counts])));
const set = object({
  name: text,
  minor: text,
  kinds: kinds as unknown as Shape<Counts['kinds']>,
  notCompared: list(object({ rule: text, seen: whole(0), twin: whole(0) })),
});
/** Reads the result of a shard. */
export const twinPart: Shape<TwinPart> = object({
  shard: shardShape,
  captures: list(object({ at: whole(0), lines: list(anyText), sets: list(set), invented: whole(0) })),
});
