/** The part of `syncloop explain` that is about many nodes. */
import { createHash } from 'node:crypto';
import { countParts, type Shard } from '@syncloop/core/base';
import {
  type FleetNode,
  type FleetStory,
  fleetHtml,
  fleetMarkdown,
  fleetStory,
  fleetText,
} from '@syncloop/observe/fleet';
import type { Lang } from '@syncloop/observe/verdict';
import { UsageError } from '../base/errors.js';
import { version } from '../base/version.js';
import type { IO } from '../cli/io.js';
import { type FoundNode, fleetNodes } from '../fleet/fleet-nodes.js';
import { type ReadFleetOptions, readFleet } from '../fleet/read-fleet.js';
import { resultLine } from '../shards/result-file.js';
import { writeOut } from './write-out.js';

export const FLEET_FORMATS = ['text', 'markdown', 'html', 'json'] as const;
export type FleetFormat = (typeof FLEET_FORMATS)[number];

/** The result of a shard of a fleet. */
export interface FleetPart {
  readonly shard: Shard;
  readonly nodes: readonly FleetNode[];
}

export interface FleetRequest extends Omit<ReadFleetOptions, 'by' | 'progress'> {
  readonly paths: readonly string[];
  readonly format: FleetFormat;
  readonly lang: Lang;
  readonly shard: Shard | null;
  readonly output?: string;
  /** All that the result depends on besides the nodes. */
  readonly asked: { readonly [flag: string]: unknown };
}

/** Reads the nodes and prints the verdict, or the part of a shard. Resolves with the exit code. */
export async function explainFleet(request: FleetRequest, io: IO): Promise<number> {
  const { paths, shard, output, asked } = request;
  const all = await fleetNodes(paths);
  const options = { ...request, by: `syncloop ${version}`, progress: io.progress };
  if (!shard) return printFleet(await readFleet(all, options), request, io);
  if (shard.of > all.length)
    throw new UsageError(`${shard.of} shards are more than the ${all.length} nodes: give fewer`);
  const own = all.filter((_, i) => i % shard.of === shard.index);
  const part: FleetPart = { shard, nodes: await readFleet(own, options) };
  const question = { nodes: digest(all), of: shard.of, ...asked };
  const line = Buffer.from(resultLine('explain', question, part));
  writeOut(output, io, (write) => write(line));
  return 0;
}

/** Prints the verdict on nodes. Resolves with the exit code: as `syncloop explain`. */
export function printFleet(
  nodes: readonly FleetNode[],
  { format, lang }: { readonly format: FleetFormat; readonly lang: Lang },
  io: IO,
): number {
  const story = fleetStory(nodes, `syncloop ${version}`);
  io.out(rendered(story, format, lang));
  const unread = nodes.filter(({ problem }) => problem !== '').length;
  if (unread > 0)
    io.err(`syncloop: ${unread} of ${nodes.length} nodes were not read; the verdict does not speak of them\n`);
  if (story.verdict.level === 'nothing') return 2;
  return story.verdict.level === 'wrong' ? 1 : unread > 0 ? 2 : 0;
}

function rendered(story: FleetStory, format: FleetFormat, lang: Lang): string {
  if (format === 'json') return `${JSON.stringify(story, null, 2)}\n`;
  if (format === 'html') return fleetHtml(story, lang);
  return format === 'markdown' ? fleetMarkdown(story, lang) : fleetText(story, lang);
}

/** The nodes' names, so that shards which see different ones are found out. */
const digest = (nodes: readonly FoundNode[]): string =>
  createHash('sha256')
    .update(JSON.stringify(nodes.map(({ name }) => name)))
    .digest('hex');

/** The nodes of all parts. Throws a PartsError if one shard has two results that differ. */
export function mergeFleet(parts: readonly FleetPart[]): {
  readonly nodes: readonly FleetNode[];
  readonly missing: readonly number[];
  readonly repeated: number;
  readonly of: number;
} {
  const { parts: inOrder, ...counted } = countParts(parts, 'the logs changed between them; run all shards again');
  return { nodes: inOrder.flatMap(({ nodes }) => nodes), ...counted };
}
