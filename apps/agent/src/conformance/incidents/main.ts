/** `conformance --incidents DIR...`: incidents of captures and verdicts on strangers’ logs, next to the truth. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../../base/errors.js';
import { judgeCaptures } from './captures.js';
import { tellStrangers } from './strangers.js';

/** Resolves with the exit code: 1 if a capture's trouble is not named, another is made up, or a log cannot be read. */
export async function incidents(
  folders: readonly string[],
  flags: { readonly verbose?: boolean },
  print: (line: string) => void,
): Promise<number> {
  const captures: string[] = [];
  const strangers: string[] = [];
  for (const folder of folders) await look(folder, captures, strangers, 0);
  if (captures.length + strangers.length === 0)
    throw new SetupError(
      `${folders.join(', ')} has neither a capture (about.json) nor a log with its truth (source.md and log.txt)`,
    );
  let short = 0;
  if (strangers.length > 0) short += await tellStrangers(strangers.sort(), print);
  if (captures.length > 0) short += await judgeCaptures(captures, flags.verbose === true, print);
  return short > 0 ? 1 : 0;
}

async function look(folder: string, captures: string[], strangers: string[], depth: number): Promise<void> {
  if (existsSync(join(folder, 'about.json'))) captures.push(folder);
  else if (existsSync(join(folder, 'source.md'))) strangers.push(folder);
  else if (depth < 3)
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.isDirectory()) await look(join(folder, entry.name), captures, strangers, depth + 1);
}
