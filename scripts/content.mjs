#!/usr/bin/env node
/**
 * Makes the modules through which the program reads its own scenarios, lessons and stages of the workshop: one
 * TypeScript file for each .yaml file of packages/core/content and each folder of stages, and an index with what a list
 * shows of them. They are made again whenever something is built, checked or tested, and are not kept in git. Prints
 * each mistake as `file: what is wrong; remedy`.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stageModules } from './stages.mjs';

const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** `schema`: its name in docs. `lazy`: each text is a chunk of its own, loaded when it is first needed. */
const KINDS = [
  {
    from: 'packages/core/content/scenarios',
    to: 'packages/core/src/scenario/library/gen',
    type: 'LibraryEntry',
    schema: 'scenario',
    lazy: false,
  },
  {
    from: 'packages/core/content/lessons',
    to: 'packages/core/src/lessons/library/gen',
    type: 'LibraryLesson',
    schema: 'lesson',
    lazy: true,
  },
];
/** The same as in the schema, which is generated from the reader of scenarios. */
const NAME = new RegExp(
  JSON.parse(fs.readFileSync(path.join(top, 'docs/users/scenario.schema.json'), 'utf8')).properties.metadata.properties
    .name.pattern,
);
/** The first line is for editors: it names the file's schema, and the program has no use for it. */
const modeline = (schema) => `# yaml-language-server: $schema=../../../../docs/users/${schema}.schema.json\n`;

const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase()).replace(/^\d/, '_$&');
const header = (from) => `// Made by scripts/content.mjs from ${from}: change that file, not this one.\n`;

/** The metadata that a list shows, checked as far as the index needs them; all else is checked by the tests. */
function metadataOf(file, text, parse) {
  let metadata;
  try {
    // The rest of the file is long, and nobody asks for it here.
    const spec = text.search(/^spec:/m);
    metadata = parse(spec < 0 ? text : text.slice(0, spec))?.metadata;
  } catch (error) {
    throw new Error(`${file}: ${error.message}`);
  }
  const name = path.basename(file, '.yaml');
  const fail = (what) => {
    throw new Error(`${file}: metadata.${what}`);
  };
  if (!NAME.test(name))
    throw new Error(`${file}: a file name has small letters, digits and - only, as crash-loop.yaml; rename it`);
  if (metadata?.name !== name)
    fail(`name: want "${name}", as the file is called, got ${JSON.stringify(metadata?.name)}`);
  if (typeof metadata.group !== 'string') fail('group: missing; name the group that lists it, as group: node');
  if (!Number.isInteger(metadata.order)) fail('order: missing; give its place within the group, as order: 20');
  for (const field of ['title', 'summary'])
    for (const lang of ['en', 'zh'])
      if (!metadata[field]?.[lang]) fail(`${field}.${lang}: missing; write it in both languages`);
  return metadata;
}

/**
 * Returns all modules of one kind: {path relative to its folder: text}. Throws an Error that names the file and the
 * remedy.
 */
export function modulesOf({ from, type, schema, lazy }, texts, parse) {
  const modules = {};
  const entries = [];
  for (const [base, source] of texts) {
    const file = `${from}/${base}`;
    const first = modeline(schema);
    if (!source.startsWith(first)) throw new Error(`${file}: for editors, the first line must be: ${first.trim()}`);
    const text = source.slice(first.length);
    const { name, group, order, title, summary, minutes } = metadataOf(file, text, parse);
    const other = entries.find(({ about }) => about.group === group && about.order === order);
    if (other)
      throw new Error(
        `${file}: metadata.order: ${order} is that of ${other.name}.yaml, too, in the group ${group}; change one of them`,
      );
    const about = { name, group, order, title, summary, ...(minutes !== undefined && { minutes }) };
    entries.push({ name, about, text });
  }
  if (lazy) {
    for (const { name, text } of entries)
      modules[`${name}.ts`] = `${header(`${from}/${name}.yaml`)}export const text = ${JSON.stringify(text)};\n`;
    modules['index.ts'] =
      `${header(from)}import type { ${type} } from '../index.js';\n\nexport const entries: readonly ${type}[] = [\n` +
      entries
        .map(
          ({ name, about }) =>
            `  { ...${JSON.stringify(about)}, load: () => import('./${name}.js').then((m) => m.text) },\n`,
        )
        .join('') +
      '];\n';
  } else {
    for (const { name, about, text } of entries)
      modules[`${name}.ts`] =
        `${header(`${from}/${name}.yaml`)}import type { ${type} } from '../entries.js';\n\n` +
        // Title and summary are in the text and in the list: as fields they would be loaded a third time.
        `export const ${camel(name)}: ${type} = ${JSON.stringify({ name, group: about.group, order: about.order, text })};\n`;
    modules['index.ts'] =
      header(from) +
      entries.map(({ name }) => `import { ${camel(name)} } from './${name}.js';\n`).join('') +
      `\nexport const entries = [${entries.map(({ name }) => camel(name)).join(', ')}];\n`;
    // The list alone, for those who show it and have not loaded the texts.
    modules['list.ts'] =
      `${header(from)}import type { ListedScenario } from '../entries.js';\n\nexport const list: readonly ListedScenario[] = [\n` +
      `${entries.map(({ about }) => `  ${JSON.stringify(about)},\n`).join('')}];\n`;
  }
  return modules;
}

/** Writes changed modules, and removes those without a source. Throws an Error as {@link modulesOf}. */
export async function writeContent() {
  const { parse } = await import('yaml');
  for (const kind of KINDS) {
    const from = path.join(top, kind.from);
    const names = fs.readdirSync(from).filter((name) => name.endsWith('.yaml'));
    const modules = modulesOf(
      kind,
      names.sort().map((name) => [name, fs.readFileSync(path.join(from, name), 'utf8')]),
      parse,
    );
    write(kind.to, modules);
  }
  const stages = Object.entries(stageModules(top, parse));
  for (const folder of ['stages/gen', 'judge/gen'])
    write(
      `packages/workshop/src/${folder}`,
      Object.fromEntries(
        stages
          .filter(([name]) => name.startsWith(`${folder}/`))
          .map(([name, text]) => [name.slice(folder.length + 1), text]),
      ),
    );
}

/** Writes what changed into a folder, and removes what is not among the modules. */
function write(folder, modules) {
  const to = path.join(top, folder);
  fs.mkdirSync(to, { recursive: true });
  for (const old of fs.readdirSync(to)) if (!(old in modules)) fs.rmSync(path.join(to, old));
  for (const [name, text] of Object.entries(modules)) {
    const file = path.join(to, name);
    // A file that is left alone keeps its time, and nothing is compiled for it.
    if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text) fs.writeFileSync(file, text);
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  try {
    await writeContent();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
