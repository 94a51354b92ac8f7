/**
 * Makes the modules through which the program reads the workshop's stages: one for each folder of
 * packages/workshop/content/stages, and an index with what a list shows of them. Wrong solutions are for tests and are
 * in none. Next to them, what the judge compares with: the recordings that stages name, trimmed.
 */
import fs from 'node:fs';
import path from 'node:path';
import { trimmed } from './recordings.mjs';

const STAGES = 'packages/workshop/content/stages';
const GOLDEN = 'packages/core/testdata/golden';
const ERAS = 'packages/core/testdata/eras';
const moduleOf = (recording) => recording.replace('/', '-');

const header = (from) => `// Made by scripts/content.mjs from ${from}: change that, not this file.\n`;
/** The texts that each language has. */
const texts = (file, where, value) => {
  for (const lang of ['en', 'zh'])
    if (typeof value?.[lang] !== 'string' || value[lang] === '')
      throw new Error(`${file}: ${where}.${lang}: missing; write it in both languages`);
};

/** Reads one stage. Throws an Error that names the file and the remedy. */
export function stageOf(folder, readFile, parse) {
  const file = (name) => `${STAGES}/${folder}/${name}`;
  const found = /^(\d\d)-([a-z][a-z-]*)$/.exec(folder);
  if (!found) throw new Error(`${STAGES}/${folder}: want a name as 01-pleg: two digits and small letters; rename it`);
  const yaml = (name) => {
    try {
      return parse(readFile(name));
    } catch (error) {
      throw new Error(`${file(name)}: ${error.message}`);
    }
  };
  const about = yaml('stage.yaml');
  for (const field of ['title', 'summary', 'story']) texts(file('stage.yaml'), field, about[field]);
  if (!(about.hints?.length >= 2))
    throw new Error(`${file('stage.yaml')}: hints: want at least two, each a step further`);
  for (const [i, hint] of about.hints.entries()) texts(file('stage.yaml'), `hints[${i}]`, hint);
  if (!about.of && !(about.upstream?.length > 0))
    throw new Error(`${file('stage.yaml')}: upstream: name its files and symbols`);
  for (const [i, s] of (about.schedules ?? []).entries()) texts(file('stage.yaml'), `schedules[${i}].about`, s.about);
  const head = { name: found[2], number: Number(found[1]), ...about };
  const schedules = (about.schedules ?? []).map(({ scenario, ...s }) => ({ ...s, scenario: JSON.stringify(scenario) }));
  if (about.of) return { ...head, schedules, parts: [], cases: [] };
  const parts = about.parts ?? [about.part];
  if (parts.length === 0 || parts.some((part) => typeof part !== 'string'))
    throw new Error(
      `${file('stage.yaml')}: part: missing; name the part that the code stands for, or several in parts`,
    );
  const cases = yaml('cases.yaml');
  for (const [i, c] of cases.entries()) texts(file('cases.yaml'), `[${i}].about`, c.about);
  const names = cases.map((c) => c.name);
  const twice = names.find((name, i) => typeof name !== 'string' || names.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`${file('cases.yaml')}: ${twice}: want a name for each case, each once`);
  return {
    ...head,
    part: parts[0],
    parts,
    schedules,
    cases,
    files: { types: readFile('types.d.ts'), starter: readFile('starter.ts'), reference: readFile('reference.ts') },
  };
}

/** Puts the files of several stages into one, each with a head that names its stage. */
const joined = (stages, file) =>
  stages.map((s) => `// Stage ${s.number}, ${s.name}\n\n${s.files[file].trim()}\n`).join('\n');

/**
 * A stage whose code stands for the parts of others: its `of` names them. Its types, its starter and its reference are
 * theirs, its cases their first and their hidden ones, and it is judged by all their recordings.
 */
export function unionOf({ of, ...stage }, stages, fail) {
  const members = of.map((name) => stages.find((s) => s.name === name) ?? fail(`of: there is no stage ${name}`));
  const cases = members.flatMap((s) =>
    s.cases
      .filter((c, i) => i === 0 || c.hidden)
      .map((c) => ({ ...c, name: `${s.name}-${c.name}`, part: c.part ?? s.part })),
  );
  const parts = members.flatMap((s) => s.parts);
  return {
    ...stage,
    part: parts[0],
    parts,
    upstream: members.flatMap((s) => s.upstream),
    recordings: [...new Set(members.flatMap((s) => s.recordings))].sort(),
    cases,
    files: {
      types: joined(members, 'types'),
      starter: joined(members, 'starter'),
      reference: joined(members, 'reference'),
    },
  };
}

/** Returns {path below the package's src: text}. */
export function stageModules(top, parse) {
  const folders = fs.readdirSync(path.join(top, STAGES)).filter((name) => !name.includes('.'));
  const read = folders.sort().map((folder) => ({
    folder,
    stage: stageOf(folder, (name) => fs.readFileSync(path.join(top, STAGES, folder, name), 'utf8'), parse),
  }));
  const all = read.map(({ stage }) => stage);
  const stages = read.map(({ folder, stage }) => ({
    folder,
    stage: stage.of
      ? unionOf(stage, all, (what) => {
          throw new Error(`${STAGES}/${folder}/stage.yaml: ${what}`);
        })
      : stage,
  }));
  const modules = {};
  for (const { folder, stage } of stages)
    modules[`stages/gen/${folder}.ts`] =
      `${header(`${STAGES}/${folder}`)}import type { Stage } from '../types.js';\n\nexport const stage: Stage = ${JSON.stringify(stage)};\n`;
  modules['stages/gen/index.ts'] =
    `${header(STAGES)}import type { ListedStage } from '../types.js';\n\nexport const list: readonly ListedStage[] = [\n` +
    stages
      .map(({ folder, stage: { name, number, part, title, summary } }) => {
        const about = JSON.stringify({ name, number, part, title, summary });
        return `  { ...${about}, load: () => import('./${folder}.js').then((m) => m.stage) } as ListedStage,\n`;
      })
      .join('') +
    '];\n';
  const used = [...new Set(stages.flatMap(({ stage }) => stage.recordings ?? []))].sort();
  for (const name of used) {
    // With a version before it, as v1.21/crash-loop, it is one of an older kubelet.
    const from = `${name.includes('/') ? ERAS : GOLDEN}/${name}.json`;
    const file = path.join(top, from);
    if (!fs.existsSync(file)) throw new Error(`${STAGES}: there is no recording ${from}`);
    const recorded = trimmed(JSON.parse(fs.readFileSync(file, 'utf8')));
    modules[`judge/gen/${moduleOf(name)}.ts`] =
      `${header(from)}import type { Recorded } from '../recorded.js';\n\nexport const recorded: Recorded = ${JSON.stringify(recorded)};\n`;
  }
  modules['judge/gen/index.ts'] =
    `${header(GOLDEN)}import type { Recorded } from '../recorded.js';\n\nexport const recordings: { readonly [name: string]: () => Promise<Recorded> } = {\n` +
    used.map((name) => `  '${name}': () => import('./${moduleOf(name)}.js').then((m) => m.recorded),\n`).join('') +
    '};\n';
  return modules;
}
