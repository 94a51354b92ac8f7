/** Results of shards as lines of JSON. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { SetupError, UsageError } from '../base/errors.js';
import { openRegular } from '../base/read-file.js';
import { version } from '../base/version.js';

/** The kinds of work that can be split. */
export const works = ['explore', 'explain', 'conformance', 'conformance --twin'] as const;
export type Work = (typeof works)[number];

/** All that a result depends on, as plain data; it is the same for all shards of one run. */
export type Question = { readonly [name: string]: unknown };

/** A result as read from a file; `result` has not been checked yet. */
export interface ShardResult {
  readonly work: Work;
  readonly question: Question;
  readonly result: unknown;
  /** The file that it is from. */
  readonly file: string;
}

export interface FoundResults {
  readonly results: readonly ShardResult[];
  /** Sentences about what was left out. */
  readonly left: readonly string[];
}

const FORMAT = 'syncloop-shard';
const FORMAT_VERSION = 1;
/** The beginning of each line with a result, by which it is found among the other lines of a pod's log. */
const HEAD = `{"format":"${FORMAT}"`;
/** The longest line, bytes: some millions of schedules. */
const LONGEST = 256 * 1024 * 1024;

/** Returns a result as a line. */
export const resultLine = (work: Work, question: Question, result: unknown): string =>
  `${JSON.stringify({ format: FORMAT, version: FORMAT_VERSION, by: version, work, question, result })}\n`;

/**
 * Reads the results in files and folders, and from standard input (`-`). Throws a UsageError or a SetupError if there
 * is not a single one, or if they belong to different commands, inputs or versions of the program.
 */
export async function readResults(paths: readonly string[], stdin: Readable): Promise<FoundResults> {
  const results: ShardResult[] = [];
  const left: string[] = [];
  let others = 0;
  for (const path of await filesOf(paths)) {
    for await (const line of linesOf(path, stdin)) {
      if (line.startsWith(HEAD)) {
        const one = parsed(line, path === '-' ? 'standard input' : path);
        if (typeof one === 'string') left.push(one);
        else results.push(one);
      } else if (line.trim() !== '') others++;
    }
  }
  if (others > 0) left.push(`${others} ${others === 1 ? 'line is' : 'lines are'} no result, and passed over`);
  const [first] = results;
  if (!first)
    throw new SetupError(
      `there is no result of a shard in ${paths.join(', ')}${left.length > 0 ? ` (${left.slice(0, 3).join('; ')})` : ''}: give what syncloop explore --shard I/N printed`,
    );
  for (const one of results) sameQuestion(first, one);
  return { results, left };
}

async function filesOf(paths: readonly string[]): Promise<string[]> {
  const out: string[] = [];
  for (const path of paths) {
    const stats = path === '-' ? null : await stat(path).catch((err: Error) => unreadable(path, err));
    if (!stats?.isDirectory()) out.push(path);
    else {
      const names = await readdir(path).catch((err: Error) => unreadable(path, err));
      out.push(
        ...names
          .filter((name) => /\.(json|ndjson|log|txt)$/.test(name))
          .sort()
          .map((name) => join(path, name)),
      );
    }
  }
  return out;
}

function unreadable(path: string, err: Error): never {
  throw new SetupError(`cannot read ${path}: ${err.message}`);
}

async function* linesOf(path: string, stdin: Readable): AsyncGenerator<string> {
  const input: Readable =
    path === '-'
      ? stdin
      : (await openRegular(path).catch((err: Error) => unreadable(path, err))).file.createReadStream({
          encoding: 'utf8',
        });
  // readline hears no errors of its input.
  let failed: Error | null = null;
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  input.on('error', (err: Error) => {
    failed = err;
    lines.close();
  });
  for await (const line of lines) {
    if (line.length > LONGEST)
      throw new SetupError(`a line of ${path} is longer than ${LONGEST} bytes: no shard writes it`);
    yield line;
  }
  if (failed) unreadable(path, failed);
}

function parsed(line: string, file: string): ShardResult | string {
  let value: { [name: string]: unknown };
  try {
    value = JSON.parse(line) as typeof value;
  } catch {
    return `a result in ${file} is cut or damaged, and left out`;
  }
  const { version: format, by, work, question, result } = value;
  if (format !== FORMAT_VERSION)
    throw new SetupError(
      `${file} has a result of the format ${JSON.stringify(format)}, this program reads ${FORMAT_VERSION}: run the shard with this version`,
    );
  if (by !== version)
    throw new SetupError(
      `${file} is a result of syncloop ${String(by)}, this is ${version}: another version may run the same otherwise, so merge with the version that ran it`,
    );
  if (!works.includes(work as Work) || typeof question !== 'object' || question === null)
    throw new SetupError(`${file} has a result of an unknown command: ${JSON.stringify(work)}`);
  return { work: work as Work, question: question as Question, result, file };
}

/** Throws if two results answer different questions; the message names what differs. */
function sameQuestion(a: ShardResult, b: ShardResult): void {
  const say = (what: string, x: unknown, y: unknown) =>
    new UsageError(
      `${a.file} and ${b.file} do not belong together: ${what} is ${JSON.stringify(x) ?? 'not set'} in one and ${JSON.stringify(y) ?? 'not set'} in the other`,
    );
  if (a.work !== b.work) throw say('the command', a.work, b.work);
  for (const name of new Set([...Object.keys(a.question), ...Object.keys(b.question)]))
    if (JSON.stringify(a.question[name]) !== JSON.stringify(b.question[name]))
      throw say(name, a.question[name], b.question[name]);
}
