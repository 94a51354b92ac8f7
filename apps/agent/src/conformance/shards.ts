/** Recordings in shards: the lines and counts of each, and the output of all of them. */
import { basename } from 'node:path';
import { anyText, list, object, type Shape, whole } from '@syncloop/core/shape';
import { SetupError } from '../base/errors.js';
import type { ChosenShard } from '../shards/shard-flags.js';

/** The output about one recording, without the time that it took, which differs from run to run. */
export interface Judged {
  /** Position among all files. */
  readonly file: number;
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
}
export interface ConformancePart {
  readonly shard: ChosenShard;
  readonly files: readonly Judged[];
}

const judged = object({ file: whole(0), lines: list(anyText), passed: whole(0), failed: whole(0) });
/** Reads the result of a shard. */
export const conformancePart: Shape<ConformancePart> = object({
  shard: object({ index: whole(0), of: whole(1) }),
  files: list(judged),
});

const SECONDS = / \(\d+\.\d s\)$/;

/**
 * Judges the files of a shard with `judge`, which prints lines and returns counts. A file is known by its position.
 */
export async function judgeShard(
  files: readonly string[],
  shard: ChosenShard,
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

/** The output of all parts, in the order of the files. Throws a SetupError if one shard has two results that differ. */
export function mergeConformance(parts: readonly ConformancePart[]): {
  readonly text: string;
  readonly failed: number;
  readonly missing: readonly number[];
  readonly repeated: number;
  readonly of: number;
} {
  const of = parts[0]?.shard.of ?? 0;
  const byIndex = new Map<number, ConformancePart>();
  let repeated = 0;
  for (const part of parts) {
    const known = byIndex.get(part.shard.index);
    if (!known) byIndex.set(part.shard.index, part);
    else if (JSON.stringify(known) === JSON.stringify(part)) repeated++;
    else
      throw new SetupError(
        `shard ${part.shard.index + 1} of ${of} has two results that contradict each other: run it again`,
      );
  }
  const files = [...byIndex.values()].flatMap((part) => part.files).sort((a, b) => a.file - b.file);
  const [passed, failed] = (['passed', 'failed'] as const).map((name) =>
    files.reduce((sum, one) => sum + one[name], 0),
  );
  return {
    text: [...files.flatMap(({ lines }) => lines), `${passed} passed, ${failed} failed`, ''].join('\n'),
    failed: failed as number,
    missing: Array.from({ length: of }, (_, i) => i).filter((i) => !byIndex.has(i)),
    repeated,
    of,
  };
}
