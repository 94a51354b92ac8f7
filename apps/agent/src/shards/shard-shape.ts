import type { Shard } from '@syncloop/core/base';
import { object, type Shape, whole } from '@syncloop/core/shape';

/** Reads which share of a work a result is of. */
export const shardShape: Shape<Shard> = object({ index: whole(0), of: whole(1) });
