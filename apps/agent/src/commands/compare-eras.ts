/** `syncloop compare-eras`: a scenario with two versions of the kubelet, and where they first differ. */
import { atOnce, simulationSource } from '@syncloop/core/debug';
import { formatDuration } from '@syncloop/core/kernel';
import { defaultEra } from '@syncloop/core/kubelet';
import type { Micros } from '@syncloop/core/trace';
import { compareEras, type EraDifference, type ErasCompared, inTwoEras } from '@syncloop/observe/eras';
import { UsageError } from '../base/errors.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import { chosenEra, eraFlag } from '../cli/era.js';
import type { IO } from '../cli/io.js';
import { oneOf } from './choice.js';
import type { Command } from './command.js';
import { clean } from './one-recording.js';
import { loadScenario } from './scenario-file.js';

const flagSpecs = {
  era: { ...eraFlag, help: eraFlag.help.replace('version of the kubelet', 'the one version of the kubelet') },
  with: {
    type: 'string',
    value: 'VERSION',
    help: `the other version (default: ${defaultEra}, or v1.21 if --era is ${defaultEra})`,
  },
  seed: { type: 'int', value: 'N', min: 0, help: "seed of both runs (default: the scenario's own)" },
  all: { type: 'bool', help: 'print both runs side by side as well, differences marked' },
  lang: { type: 'string', value: 'en|zh', help: 'language of the sentences (default en)' },
  json: { type: 'bool', help: 'print the whole comparison as JSON' },
} as const satisfies FlagSpecs;

type Lang = 'en' | 'zh';

/**
 * Prints the first difference and why, then the first one of each kind. Resolves with 0, whether or not they differ.
 */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('compare-eras', argv, flagSpecs);
  const [name, extra] = positionals;
  if (name === undefined)
    throw new UsageError(
      'a scenario is required: give a name of the library or a file: syncloop compare-eras graceful-delete --era v1.21',
    );
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}: one scenario at a time`);
  const lang = oneOf('--lang', flags.lang, ['en', 'zh'] as const) ?? 'en';
  const { scenario, text } = loadScenario(name, (sentence) => io.err(`syncloop: ${sentence}\n`));
  const one = await chosenEra(flags.era ?? scenario.run?.era ?? scenario.era ?? 'v1.21');
  const other = await chosenEra(flags.with ?? (one === defaultEra ? 'v1.21' : defaultEra), '--with');
  if (one === other) throw new UsageError(`--era and --with are both ${one}: give two different versions`);
  const source = simulationSource();
  const spec = {
    scenario: scenario.name,
    ...(text !== undefined && { text }),
    ...(flags.seed !== undefined && { seed: flags.seed }),
  };
  const runs = atOnce(inTwoEras(source, spec, [one, other]));
  const compared = atOnce(compareEras(source, runs));
  if (flags.json) io.out(`${JSON.stringify(compared, null, 2)}\n`);
  else io.out(textOf(compared, lang, flags.all === true));
  return 0;
}

export const command: Command = {
  usage: 'syncloop compare-eras SCENARIO [--era v1.21] [--with v1.36] [--json]',
  flags: flagSpecs,
  run,
};

const words = {
  en: {
    why: 'why',
    did: 'did',
    last: 'did not; last for this pod',
    nothing: 'did not',
    change: 'the change',
    follows: 'follows from the change',
    unknown: 'no single change is known for this',
    since: 'since',
    firsts: 'The first difference of each kind:',
    chance: 'chance alone explains it',
    more: (n: number) => `${n} more differences of this kind`,
    leftOut: (n: number) => `${n} more lines`,
    ended: (era: string, why: string) => `${era} could not continue: ${why}`,
  },
  zh: {
    why: '原因',
    did: '做了',
    last: '没有；对该 Pod 最后做的是',
    nothing: '没有',
    change: '所属的变化',
    follows: '由此变化引起',
    unknown: '没有已知的单一变化与此对应',
    since: '自',
    firsts: '每一类的第一处不同：',
    chance: '仅由偶然即可解释',
    more: (n: number) => `同类还有 ${n} 处不同`,
    leftOut: (n: number) => `另有 ${n} 行`,
    ended: (era: string, why: string) => `${era} 无法继续：${why}`,
  },
} as const;

const at = (time: Micros): string => formatDuration(Math.round(time / 1000) * 1000);

function textOf(compared: ErasCompared, lang: Lang, all: boolean): string {
  const w = words[lang];
  const { eras, firsts, first, counts, ended, rows, leftOut } = compared;
  const lines = [clean(compared.text[lang])];
  for (const [i, why] of ended.entries()) if (why !== '') lines.push(w.ended(eras[i] as string, clean(why)));
  const head = firsts[first];
  if (head) lines.push('', ...reasons(compared, head, lang));
  if (firsts.length > 1) {
    lines.push('', w.firsts);
    for (const one of firsts) {
      const { kind, text, change, chance } = one;
      const since = change ? ` [${change.id}, ${w.since} ${change.since}]` : '';
      const n = (counts[kind] ?? 1) - 1;
      const more = n > 0 ? ` (${w.more(n)})` : '';
      lines.push(`- ${kind}: ${clean(text[lang])}${since}${chance ? ` (${w.chance})` : ''}${more}`);
    }
  }
  if (all) {
    lines.push('');
    for (const { sides, differs } of rows) {
      const [a, b] = sides.map((side) => (side ? `${at(side.time)} ${clean(side.text[lang])}` : '-'));
      lines.push(`${differs ? '!' : ' '} ${a} | ${b}`);
    }
    if (leftOut > 0) lines.push(w.leftOut(leftOut));
  }
  return `${lines.join('\n')}\n`;
}

/** Explains why they differ: the change of design, and what led there in each run. */
function reasons({ eras }: ErasCompared, { change, follows, moments }: EraDifference, lang: Lang): string[] {
  const w = words[lang];
  const lines: string[] = [];
  if (change) {
    const links = change.links.map(({ text, href }) => `${text} ${href}`).join(', ');
    lines.push(
      `${follows ? w.follows : w.change} (${change.id}, ${w.since} ${change.since}): ${change.title[lang]}. ${change.text[lang]}${links && ` ${links}`}`,
    );
  } else lines.push(w.unknown);
  for (const [i, { seq, time, text, did, why }] of moments.entries()) {
    const what = did ? (text?.[lang] ?? '') : text ? `${w.last}: ${text[lang]}` : w.nothing;
    lines.push('', `${eras[i]} · ${at(time)} · ${seq}${what && `: ${clean(what)}`}`);
    for (const link of why?.links ?? [])
      lines.push(`  ${link.seq} ${at(link.time)} ${link.role}: ${clean(link.text[lang])}`);
  }
  return lines;
}
