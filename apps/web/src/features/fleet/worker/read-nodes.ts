/** The logs of many nodes, read one after the other and reduced to what the fleet's verdict needs. */
import { messageOf } from '@syncloop/core/base';
import { redactRecord } from '@syncloop/core/redaction';
import type { TraceRecord } from '@syncloop/core/trace';
import { openObservation } from '@syncloop/observe';
import { type FleetNode, fleetNode, fleetStory, Sightings, unreadNode } from '@syncloop/observe/fleet';
import { VerdictFold } from '@syncloop/observe/verdict';
import type { Known, Pieces } from '../../../session/worker/file-pieces.js';
import { sourcesOf } from '../../../session/worker/known-sources.js';
import type { ObservedFile } from '../../../session/worker/open-message.js';
import { filesOfNode, nodesOfFiles } from '../../../session/worker/part-bundles.js';
import { bytesText } from '../../../units/sizes.js';
import type { FleetProgress } from './messages.js';

const BY = 'syncloop';
/** Most bytes of all nodes together, inflated: nobody waits for ever. */
const MOST_READ = 8 * 1024 * 1024 * 1024;
/** Time between two verdicts on what was read so far, ms. */
const EVERY = 1000;

export interface ReadNodesOptions {
  readonly mostRead?: number;
  readonly now?: () => number;
}

/** Yields the verdict on what was read so far, the last time on all nodes. Memory does not grow with the logs. */
export async function* readNodes(
  files: readonly ObservedFile[],
  { mostRead = MOST_READ, now = () => performance.now() }: ReadNodesOptions = {},
): AsyncGenerator<FleetProgress> {
  const { nodes, refused } = await nodesOfFiles(files);
  const read: FleetNode[] = refused.map(({ name }) => unreadNode(name, name, 'archive'));
  const of = nodes.length;
  let left = mostRead;
  let reported = Number.NEGATIVE_INFINITY;
  for (const [done, node] of nodes.entries()) {
    const { name } = node;
    if (now() - reported > EVERY) {
      yield { story: read.length > 0 ? fleetStory(read, BY) : null, done, of, reading: name };
      reported = now();
    }
    if (left <= 0) {
      read.push(unreadNode(name, name, 'page-limit', bytesText(mostRead, 'en')));
      continue;
    }
    try {
      const { known } = await filesOfNode(node);
      const { bytes, reduced } = await readNode(name, known, left);
      left -= bytes;
      read.push(reduced ?? unreadNode(name, name, 'no-kubelet'));
    } catch (error) {
      read.push(unreadNode(name, name, 'error', messageOf(error)));
    }
  }
  yield { story: fleetStory(read, BY), done: of, of, reading: '' };
}

/** Reads one node up to `most` bytes; null if none of its files is a source. */
async function readNode(
  name: string,
  known: readonly Known[],
  most: number,
): Promise<{ readonly bytes: number; readonly reduced: FleetNode | null }> {
  const { readable, ids, sources } = await sourcesOf(known);
  if (readable.length === 0) return { bytes: 0, reduced: null };
  const observation = openObservation(sources);
  const fold = new VerdictFold(redactRecord);
  const sightings = new Sightings();
  const take = (records: readonly TraceRecord[]) => {
    for (const record of records) sightings.take(fold.take(record), observation.epochMicros);
  };
  const pieces = new Map(readable.map((one, i) => [ids[i] as string, one.pieces()]));
  let bytes = 0;
  try {
    for (let id = observation.behind; id !== undefined; id = observation.behind) {
      let next: Awaited<ReturnType<Pieces['next']>>;
      try {
        next = await (pieces.get(id) as Pieces).next();
      } catch (error) {
        take(observation.lose(id, `It cannot be read any further: ${messageOf(error)}.`));
        continue;
      }
      take(next ? observation.push(id, next.bytes) : observation.end(id));
      bytes += next?.bytes.length ?? 0;
      if (bytes < most) continue;
      for (const { source, ended } of observation.progress)
        if (!ended)
          take(observation.lose(source.id, 'The rest was not read: there is too much of all nodes together.'));
    }
  } finally {
    for (const one of pieces.values()) one.close();
  }
  const input = fold.input(observation, {
    epochMicros: observation.epochMicros,
    sources: readable.map((one) => one.name),
    by: BY,
  });
  return { bytes, reduced: fleetNode({ name, source: name }, input, sightings) };
}
