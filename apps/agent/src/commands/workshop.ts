/** `syncloop workshop`: parts of the kubelet to be written, and their judge. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { createInterpreter } from '@syncloop/workshop/interpreter';
import { type Judgement, judging, type LevelResult, loadRecordings } from '@syncloop/workshop/judge';
import { type Stage, stages } from '@syncloop/workshop/stages';
import { SetupError, UsageError } from '../base/errors.js';
import { headOf, readLearnerFile, stageNamed, stageNames, stageOfFile } from '../base/learner-file.js';
import { type FlagSpecs, type Flags, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { oneOf } from './choice.js';
import type { Command } from './command.js';
import { writeOut } from './write-out.js';

const flagSpecs = {
  stage: { type: 'string', value: 'NAME', help: "judge: the stage, if the file's first line does not name it" },
  out: { type: 'file', value: 'FILE', help: 'start: the file to write (default: the name of the stage, with .ts)' },
  watch: { type: 'bool', help: 'judge: again after each change of the file, until it is interrupted' },
  output: { type: 'string', value: 'FORMAT', short: 'o', help: 'list, judge: text (default) or json' },
} as const satisfies FlagSpecs;

const verbs = ['list', 'start', 'judge'] as const;
/** The time between two looks at a watched file, ms. */
const lookEvery = 300;

async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('workshop', argv, flagSpecs);
  const [verb, name, extra] = positionals;
  const wanted = oneOf('workshop', verb, verbs);
  const format = oneOf('--output', flags.output, ['text', 'json'] as const) ?? 'text';
  if (wanted === undefined) throw new UsageError(`what is wanted is missing: ${usage}`);
  if (extra !== undefined || (wanted === 'list' && name !== undefined))
    throw new UsageError(`unexpected argument ${JSON.stringify(extra ?? name)}: ${usage}`);
  if (wanted === 'list') {
    io.out(format === 'json' ? json(stages.map(({ load: _, ...about }) => about)) : listText());
    return 0;
  }
  if (name === undefined)
    throw new UsageError(
      wanted === 'start'
        ? `a stage is missing: one of ${stageNames()}`
        : 'a file is missing: syncloop workshop judge mine.ts',
    );
  if (wanted === 'start') return start(await stageNamed(name), flags.out, io);
  return judgeFile(name, flags, format, io);
}

const usage = 'syncloop workshop list | start STAGE [--out FILE] | judge FILE [--stage NAME] [--watch] [-o json]';

export const command: Command = { usage, flags: flagSpecs, run };

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function listText(): string {
  const wide = Math.max(...stages.map((s) => s.name.length));
  return stages.map((s) => `${String(s.number).padStart(2)}  ${s.name.padEnd(wide)}  ${s.title.en}\n`).join('');
}

/** Writes the starter and, next to it, the types. What is there already is a learner's work: it stays. */
function start(stage: Stage, out: string | undefined, io: IO): number {
  const file = out ?? `${stage.name}.ts`;
  if (!/[^.]\.(ts|js)$/.test(file) || file.endsWith('.d.ts'))
    throw new UsageError(`--out is ${JSON.stringify(file)}, and must end in .ts`);
  const types = file.replace(/\.(ts|js)$/, '.d.ts');
  for (const there of [file, types])
    if (existsSync(there)) throw new SetupError(`${there} is already there: choose another file with --out`);
  const write = (to: string, text: string) => writeOut(to, io, (bytes) => bytes(Buffer.from(text)));
  write(types, stage.files.types);
  const reference = `/// <reference path="./${path.basename(types)}" />\n`;
  write(file, headOf(stage.name) + reference + stage.files.starter);
  io.out(`${stage.number}. ${stage.title.en}\n\n${stage.story.en}\n\n`);
  io.out(`Wrote ${file} and its types, ${types}. Judge it with: syncloop workshop judge ${file} --watch\n`);
  return 0;
}

async function judgeFile(
  file: string,
  flags: Flags<typeof flagSpecs>,
  format: 'text' | 'json',
  io: IO,
): Promise<number> {
  const interpreter = await createInterpreter();
  const once = async (): Promise<number> => {
    const text = readLearnerFile(file);
    const stage = await stageOfFile(file, text, flags.stage, 'give --stage');
    const work = judging(interpreter, stage, await loadRecordings(stage), { file: path.basename(file), text });
    let next = work.next();
    while (!next.done) {
      // Signals and the watched file get their turn.
      await new Promise<void>((resolve) => setImmediate(resolve));
      next = work.next();
    }
    io.out(format === 'json' ? json(next.value) : judgementText(stage, next.value));
    return next.value.passed ? 0 : 1;
  };
  if (!flags.watch) return once();
  return watching(file, once, io);
}

/** Judges after each change; changes that come while it judges are judged once. Resolves at a signal. */
async function watching(file: string, once: () => Promise<number>, io: IO): Promise<number> {
  let seen = stamp(file);
  let code = await once();
  let judging = false;
  const look = async () => {
    const now = stamp(file);
    // An editor that saves may have removed the file for a moment.
    if (judging || now === seen || now === '') return;
    seen = now;
    judging = true;
    try {
      code = await once();
    } catch (error) {
      io.err(`${(error as Error).message}\n`);
    }
    judging = false;
  };
  const timer = setInterval(() => void look(), lookEvery);
  io.err(`Watching ${file}; interrupt to end.\n`);
  await io.untilSignal();
  clearInterval(timer);
  return code;
}

/** Changes when the file does; '' while it is not there. */
function stamp(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : '';
}

function judgementText(stage: Stage, { passed, file, levels }: Judgement): string {
  const lines = levels.map((level) => {
    const line = `  ${level.level.padEnd(10)}  ${stateText(level)}\n`;
    return level.difference ? `${line}    ${level.difference.text.en}\n` : line;
  });
  const end = passed
    ? `Passed. Upstream's own: ${stage.upstream.map((u) => `${u.symbol} in ${u.path}`).join('; ')}.\n`
    : 'Not passed.\n';
  return `${stage.number}. ${stage.title.en} (${file})\n${lines.join('')}${end}`;
}

function stateText({ state, judged, cases }: LevelResult): string {
  if (state === 'skipped') return cases === 0 ? 'none' : 'not judged';
  return state === 'passed' ? `passed (${judged})` : `failed (after ${judged - 1} of ${cases})`;
}
