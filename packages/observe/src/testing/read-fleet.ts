/** For tests of fleets: a made node's log, read and reduced as the agent does it. */
import { utf8Bytes } from '@syncloop/core/base';
import type { TraceRecord } from '@syncloop/core/trace';
import { fleetNode } from '../fleet/node.js';
import { Sightings } from '../fleet/sightings.js';
import type { FleetNode } from '../fleet/types.js';
import { openObservation } from '../open.js';
import { VerdictFold } from '../verdict/index.js';
import type { MadeNode } from './fleet-logs.mjs';
import { NOT_AFTER } from './observe-log.js';

export function readMade({ name, lines }: Pick<MadeNode, 'name' | 'lines'>): FleetNode {
  const source = {
    id: 'log-1',
    kind: 'log',
    format: 'log',
    name,
    context: { notAfter: NOT_AFTER, startedMillis: null },
  } as const;
  const observation = openObservation([source]);
  const fold = new VerdictFold();
  const sightings = new Sightings();
  const take = (records: readonly TraceRecord[]) => {
    for (const record of records) sightings.take(fold.take(record), observation.epochMicros);
  };
  let piece = '';
  for (const line of lines()) {
    piece += line;
    if (piece.length < 1 << 16) continue;
    take(observation.push('log-1', utf8Bytes(piece)));
    piece = '';
  }
  take(observation.push('log-1', utf8Bytes(piece)));
  take(observation.end('log-1'));
  const input = fold.input(observation, { epochMicros: observation.epochMicros, sources: [name], by: 'test' });
  return fleetNode({ name, source: name }, input, sightings);
}
