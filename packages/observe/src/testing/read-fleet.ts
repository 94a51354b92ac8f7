/** For tests of fleets: a made node's log, read and reduced as the agent does it. */
import { utf8Bytes } from '@syncloop/core/base';
import { Incidents } from '@syncloop/core/debug/incidents';
import { OverviewFold } from '@syncloop/core/debug/live';
import type { TraceRecord } from '@syncloop/core/trace';
import { fleetNode } from '../fleet/node.js';
import { Sightings } from '../fleet/sightings.js';
import type { FleetNode } from '../fleet/types.js';
import { openObservation } from '../open.js';
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
  const incidents = new Incidents();
  const overview = new OverviewFold();
  const sightings = new Sightings();
  const take = (records: readonly TraceRecord[]) => {
    for (const record of records) {
      incidents.take(record);
      overview.take(record);
      sightings.take(record, observation.epochMicros);
    }
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
  const seen = overview.overview({ ...observation.facts, ...observation.share, oldest: 1 });
  incidents.know(seen);
  const { version, node, runtime, programs } = seen;
  const input = {
    answer: incidents.list(),
    epochMicros: observation.epochMicros,
    kubelet: { version, node, runtime },
    sources: [name],
    by: 'test',
    programs,
  };
  return fleetNode({ name, source: name }, input, sightings);
}
