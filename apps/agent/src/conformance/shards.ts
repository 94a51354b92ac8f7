/** Recordings in shards: the lines and counts of each, and the output of all of them. */
import { basename } from 'node:path';
import { countParts, type Shard } from '@syncloop/core/base';
import { anyText, list, object, type Shape, whole } from '@syncloop/core/shape';
import { shardShape } from '../shards/shard-shape.js';

/** The output about one recording, without the time that it took, which differs from run to run. */
export interface Judged {
  /** Position among all files. */
  readonly file: number;
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
}
export interface ConformancePart {
  readonly shard: Shard;
  readonly files: readonly Judged[];
}

const judged = object({ file: whole(0), lines: list(anyText), passed: whole(0), failed: whole(0) });
/** Reads the result of a shard. */
export const conformancePart: Shape<ConformancePart> = object({
  shard: shardShape,
  files: list(judged),
});

const SECONDS = / \(\d+\.\d s\)$/;

/**
 * Judges the files of a shard with `judge`, which prints lines and returns counts. A file is known by its position.
 */
export async function judgeShard(
  files: readonly string[],
  shard: Shard,
  judge: (file: string, print: (line: string) => void) => Promise<{ readonly passed: number; readonly failed: number }>,
): Promise<ConformancePart> {
  const out: Judged[] = [];
  for (const [file, path] of files.entries()) {
    if (file % shard.of !== shard.index) continue;
    const lines: string[] = [];
    const { passed, failed } = await judge(path, (line) => void lines.push(line.replace(SECONDS, '')));
    out.push({ file, lines, passed, failed });
  }
  return { shard, files: out };
}

/** All that the results of shards depend on. */
export const questionOf = (
  files: readonly string[],
  flags: { readonly [name: string]: unknown },
): { readonly [name: string]: unknown } => ({ files: files.map((file) => basename(file)), ...flags });

/** The output of all parts, in the order of the files. Throws a PartsError if one shard has two results that differ. */
export function mergeConformance(parts: readonly ConformancePart[]): {
  readonly text: string;
  readonly failed: number;
  readonly missing: readonly number[];
  readonly repeated: number;
  readonly of: number;
} {
  const { parts: inOrder, ...counted } = countParts(parts, 'run it again');
  const files = inOrder.flatMap((part) => part.files).sort((a, b) => a.file - b.file);
  const [passed, failed] = (['passed', 'failed'] as const).map((name) =>
    files.reduce((sum, one) => sum + one[name], 0),
  );
  return {
    text: [...files.flatMap(({ lines }) => lines), `${passed} passed, ${failed} failed`, ''].join('\n'),
    failed: failed as number,
    ...counted,
  };
}
