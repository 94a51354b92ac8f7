/** `syncloop why`: the chain of causes of something in a recording. */
import {
  type Answer,
  type CommandResult,
  RecordingSession,
  type ResultOf,
  type Command as SessionCommand,
  type WhyLink,
} from '@syncloop/core/debug';
import { formatDuration } from '@syncloop/core/kernel';
import type { Json } from '@syncloop/core/trace';
import { SetupError, UsageError } from '../base/errors.js';
import { type FlagSpecs, type Flags, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { openRecordingFile, withFileName } from '../recording/recording-file.js';
import { oneOf } from './choice.js';
import type { Command } from './command.js';
import { clean, oneFile } from './one-recording.js';

const flagSpecs = {
  record: { type: 'int', value: 'SEQ', min: 1, help: 'explain the record with this sequence number' },
  cri: {
    type: 'int',
    value: 'SEQ',
    min: 1,
    help: 'explain the CRI call, or the return of one, with this sequence number',
  },
  container: {
    type: 'string',
    value: 'POD/NAME',
    help: 'explain why a container was started, restarted or killed: see --what',
  },
  what: { type: 'string', value: 'WHAT', help: 'with --container: start (default), restart or kill' },
  pod: { type: 'string', value: 'POD', help: 'with --field: the pod whose status is meant' },
  field: {
    type: 'string',
    value: 'PATH',
    help: "explain the value of a field of the pod's status: phase, conditions.Ready, containerStatuses[name=app].ready",
  },
  wait: { type: 'string', value: 'GOROUTINE', help: 'explain what a goroutine, given by number or name, waits for' },
  worker: { type: 'string', value: 'POD', help: "explain what a pod's worker is doing" },
  pending: { type: 'string', value: 'POD', help: 'explain why a pod is not running' },
  'not-ready': { type: 'string', value: 'POD', help: 'explain why a pod is not ready' },
  'not-run': { type: 'string', value: 'POD', help: "explain why a pod's worker is not running" },
  'not-restarted': { type: 'string', value: 'POD/NAME', help: 'explain why a container is not restarted' },
  'not-probed': {
    type: 'string',
    value: 'POD/NAME',
    help: 'explain why a probe has not restarted a container; see --probe-type',
  },
  'probe-type': { type: 'string', value: 'TYPE', help: 'with --not-probed: liveness, readiness or startup' },
  at: { type: 'int', value: 'SEQ', min: 1, help: 'answer as of this record (default: the last one)' },
  full: { type: 'bool', help: 'print all links of the chain (default: the twelve most important)' },
  lang: { type: 'string', value: 'en|zh', help: 'language of the answer (default en)' },
  json: { type: 'bool', help: 'print the whole answer as JSON' },
} as const satisfies FlagSpecs;

type WhyFlags = Flags<typeof flagSpecs>;
type Question = { readonly [key: string]: Json };
type Lang = 'en' | 'zh';

const NONE: CommandResult = { ok: false, error: 'no answer' };

/** Prints the answer: each link a record, oldest first. */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('why', argv, flagSpecs);
  const file = oneFile('why', positionals);
  const lang = oneOf('--lang', flags.lang, ['en', 'zh'] as const) ?? 'en';
  const { not, question } = questionOf(flags);
  const { recording, close } = openRecordingFile(file);
  try {
    const { record, cri, at = record ?? cri ?? recording.last } = flags;
    const session = new RecordingSession(recording);
    const ask = <C extends SessionCommand>(command: C): ResultOf<C> => {
      let result = NONE;
      withFileName(file, () =>
        session.execute(command, (r) => {
          result = r;
        }),
      );
      // In a long recording the work goes in slices.
      while (result === NONE && session.pump(0, () => false) !== null);
      // A callback sets it, which the compiler does not see.
      const { ok, error, value } = result as { ok: boolean; error?: string; value?: unknown };
      if (!ok) throw new SetupError(`${file}: ${error}`);
      return value as ResultOf<C>;
    };
    // In a long recording only the records around that place are examined.
    ask({ do: 'go', to: { seq: at } });
    const answer = ask({ do: not ? 'whyNot' : 'why', question });
    io.out(flags.json ? `${JSON.stringify(answer, null, 2)}\n` : answerText(answer, lang));
    if (recording.warning !== '') io.err(`syncloop: warning: ${file}: ${recording.warning}\n`);
    return 0;
  } finally {
    close();
  }
}

export const command: Command = {
  usage: [
    'syncloop why FILE --container web/app --what restart',
    'syncloop why FILE --pod web --field phase',
    'syncloop why FILE --record SEQ',
    'syncloop why FILE --pending web',
  ].join('\n       '),
  flags: flagSpecs,
  run,
};

/** Returns the question of the flags; there must be exactly one. */
function questionOf(flags: WhyFlags): { readonly not: boolean; readonly question: Question } {
  const why: readonly [keyof WhyFlags, (value: string) => Question][] = [
    ['record', (v) => ({ about: 'record', seq: Number(v) })],
    ['cri', (v) => ({ about: 'cri', seq: Number(v) })],
    [
      'container',
      (v) => ({
        about: 'container',
        ...container('--container', v),
        what: oneOf('--what', flags.what, ['start', 'restart', 'kill'] as const) ?? 'start',
      }),
    ],
    ['field', (v) => ({ about: 'field', uid: flags.pod ?? '', path: v })],
    ['wait', (v) => ({ about: 'wait', goroutine: /^\d+$/.test(v) ? Number(v) : v })],
    ['worker', (v) => ({ about: 'worker', uid: v })],
  ];
  const whyNot: typeof why = [
    ['pending', (v) => ({ about: 'pending', uid: v })],
    ['not-ready', (v) => ({ about: 'ready', uid: v })],
    ['not-run', (v) => ({ about: 'worker', uid: v })],
    ['not-restarted', (v) => ({ about: 'restart', ...container('--not-restarted', v) })],
    [
      'not-probed',
      (v) => {
        const type = oneOf('--probe-type', flags['probe-type'], ['liveness', 'readiness', 'startup'] as const);
        return { about: 'probe', ...container('--not-probed', v), ...(type !== undefined && { probeType: type }) };
      },
    ],
  ];
  const all = [...why, ...whyNot];
  const given = all.filter(([flag]) => flags[flag] !== undefined);
  const [first, second] = given;
  const names = all.map(([flag]) => `--${flag}`);
  if (!first)
    throw new UsageError(
      `nothing to explain is named: give one of ${names.join(', ')}; for instance --container web/app --what restart`,
    );
  if (second) throw new UsageError(`--${first[0]} and --${second[0]} are two questions: ask one at a time`);
  const needs = (flag: keyof WhyFlags, with_: keyof WhyFlags) => {
    if (flags[flag] !== undefined && first[0] !== with_) throw new UsageError(`--${flag} goes with --${with_} only`);
  };
  needs('what', 'container');
  needs('pod', 'field');
  needs('probe-type', 'not-probed');
  if (first[0] === 'field' && flags.pod === undefined)
    throw new UsageError('--field needs a pod: give it with --pod: --pod web --field phase');
  const { at, full } = flags;
  return {
    not: whyNot.includes(first),
    question: {
      ...first[1](String(flags[first[0]])),
      ...(at !== undefined && { at }),
      ...(full && { detail: 'full' }),
    },
  };
}

/** POD/CONTAINER; the pod may be namespace/name. */
function container(flag: string, text: string): { uid: string; container: string } {
  const slash = text.lastIndexOf('/');
  if (slash < 1 || slash === text.length - 1)
    throw new UsageError(`${flag} is ${JSON.stringify(text)}, but must be a pod and a container, such as web/app`);
  return { uid: text.slice(0, slash), container: text.slice(slash + 1) };
}

function answerText({ summary, findings, links, hidden, cutOff }: Answer, lang: Lang): string {
  const lines = [clean(summary[lang])];
  if (findings.length > 0) {
    lines.push('');
    for (const f of findings) lines.push(`- ${f.code}${f.seq > 0 ? ` (${f.seq})` : ''}: ${clean(f.text[lang])}`);
  }
  if (links.length > 0) lines.push('');
  if (cutOff !== undefined)
    lines.push(lang === 'en' ? `  (records up to ${cutOff} are missing)` : `  （没有记录 ${cutOff} 及更早的记录）`);
  const width = Math.max(0, ...links.map((l) => String(l.seq).length));
  const times = links.map((l) => formatDuration(Math.round(l.time / 1000) * 1000));
  const wide = Math.max(0, ...times.map((t) => t.length));
  for (const [i, link] of links.entries())
    lines.push(...linkText(link, lang, width, (times[i] as string).padStart(wide)));
  if (hidden > 0)
    lines.push(lang === 'en' ? `  ${hidden} more links: --full shows them` : `  另有 ${hidden} 个环节：用 --full 显示`);
  return `${lines.join('\n')}\n`;
}

function linkText(link: WhyLink, lang: Lang, width: number, time: string): string[] {
  const { seq, main, root, role, text, rule, verdict, values, upstream } = link;
  const out = [
    `${root ? '●' : main ? '│' : '·'} ${String(seq).padStart(width)} ${time}  ${role}: ${clean(text[lang])}`,
  ];
  const indent = ' '.repeat(width + time.length + 5);
  if (rule !== undefined) {
    const saw = Object.entries(values ?? {}).filter(([, v]) => v !== undefined);
    const list = saw.map(([k, v]) => `${k}=${short(JSON.stringify(v))}`).join(' ');
    out.push(
      `${indent}${clean(`${rule} → ${verdict}${list && `  (${list})`}${upstream === undefined ? '' : `  ${upstream}`}`)}`,
    );
  }
  return out;
}
const short = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text);
