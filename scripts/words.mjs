#!/usr/bin/env node
/**
 * Checks the cheap part of plain language: no word that the glossary of CONTRIBUTING.md replaces, and no doc comment
 * that begins with "Of", "Where", "What" or "Whether". Prints each as `file:line: problem, and what to write`; exits 1
 * on any. Names of files on the command line restrict it to those files or folders.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow } from './imports.mjs';
import { top } from './lib.mjs';

const FOLDERS = ['packages', 'apps', 'scripts', 'bench', 'attack', 'docs', 'deploy'];
const READ = /\.(tsx?|mjs|css|md|yaml|html)$/;
/**
 * Generated files and upstream's own texts; the changelog and decisions, which are history; what must name old words:
 * the glossary, this file, and upgraders of old files.
 */
const PASSED_OVER =
  /\/gen\/|\/testdata\/|\/corpus\/|^docs\/developers\/(decisions\/|fidelity)|^docs\/users\/eras|scripts\/words(\.test)?\.mjs$|upgrade/;
/** Tests may use words that read well as the second half of `it('...')`. */
const TEST = /\.test\.(tsx?|mjs)$|\/testing\/|\/e2e\//;

/** The words that the glossary replaces, with the terms to write instead: `[word, term][]`. */
export function replacedWords(contributing) {
  const [, section = ''] = contributing.split(/^## Words$/m);
  return section
    .split(/^## /m)[0]
    .split('\n')
    .map((line) => /^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$/.exec(line))
    .filter((row) => row && row[1] !== 'Term' && !/^-+$/.test(row[2].trim()) && row[2].trim() !== '')
    .flatMap(([, term, words]) => words.split(',').map((word) => [word.trim(), term.trim()]));
}

/** Words in recordings, or in answers that a page keeps: they stay readable as they were written. */
const WRITTEN = [
  ['packages/core/src/trace/kinds/observed.ts', 'told: number'],
  ['packages/observe/src/metrics-extractor.ts', 'told: counted'],
  ['packages/core/src/kubelet/podworkers/pod-worker-loop.ts', 'told to terminate before it ever started'],
  ['packages/core/src/trace/narrator/reasons-zh.ts', 'told to terminate before it ever started'],
  ['packages/core/content/lessons/workers-anew.yaml', 'value: beside'],
  ['packages/core/content/lessons/workers-anew.yaml', "'beside'"],
];
/** Returns a file's text without its permitted parts: written words, and names of tests in the table of threats. */
function checkedText(file) {
  const text = fs.readFileSync(path.join(top, file), 'utf8');
  if (file === 'SECURITY.md') return text.replace(/^(\| \d+ \|.*) \|[^|]*\|$/gm, '$1 |');
  return WRITTEN.filter(([where]) => where === file).reduce((rest, [, words]) => rest.replaceAll(words, ''), text);
}

/** First words that make a fragment: questions are allowed, and so are "As long as", "As soon as" and the like. */
const OPENING =
  /^\s*(?:(?:\/\*\*|\*|\/\/) (?<word>Of|Where|What|Whether)|\/\*\* (?<as>As)(?! (?:long|soon|far|many|few|much)))\b(?! .*\?)/;
/** Patterns of comments that are not English, and what to write instead. */
const COMMENTS = [
  [
    /\b(null|undefined|false|true|absent|empty|none|0|-1)\b'?`?,? where (it|they|that|there|this|the|no|nothing|nobody)\b/i,
    'a condition: write "if" instead of "where"',
  ],
  [/\b(throws|rejects)( an?)?( \{@link \w+\}| [A-Z]\w+)? where\b/i, 'a condition: write "if" instead of "where"'],
  [
    /(?<!\bthere )\b(is|are|was|were) no (?!longer|more|other|such|good|way|use|part|better|different|less|worse|farther|older|larger|protection|reason|one)[a-z]/i,
    'write "is not a" instead of "is no"',
  ],
  [/(?<![.\w`(])anew\b(?![\w(`:]|\.\w)/, 'write "again" or "starts over" instead of "anew"'],
  [
    /\b(does|did|do|goes|called|works?|begins?) otherwise\b|\botherwise than\b/,
    'write "differently" instead of "otherwise"',
  ],
  [
    /\b(in force|takes it back|of strangers|has come to where|ha(s|ve) come to its end)\b/,
    'not English: say it in plain words',
  ],
  [/\b(comes to nothing|[Ww]hat c[ao]mes? of it|for want of|to be had)\b/, 'not English: say it in plain words'],
];
/** Returns what is wrong in a text: `{ line, message }[]`, lines counted from 1. */
export function wordViolations(text, replaced) {
  // A capital first letter is the same word; "is None" is a value of the API.
  const anyCase = (word) => `[${word[0].toLowerCase()}${word[0].toUpperCase()}]${word.slice(1)}`;
  const patterns = replaced.map(([word, term]) => [new RegExp(`(?<![\\w./-])${anyCase(word)}(?![\\w/-])`), word, term]);
  return text.split('\n').flatMap((source, i) => {
    const plain = source.replace(/\b[Tt]here (is|are|was|were) none\b/g, '');
    const found = patterns
      .filter(([pattern]) => pattern.test(plain))
      .map(([, word, term]) => ({ line: i + 1, message: `"${word}": write ${term} (glossary of CONTRIBUTING.md)` }));
    for (const [pattern, message] of COMMENTS) {
      if (/^\s*(\/\*\*?|\*|\/\/)/.test(source) && pattern.test(source)) found.push({ line: i + 1, message });
    }
    const opening = OPENING.exec(source);
    const first = opening && !/^\s*(\*|\/\/) \S/.test(text.split('\n')[i - 1] ?? '');
    return first
      ? [
          ...found,
          {
            line: i + 1,
            message: `a comment begins with "${opening.groups?.word ?? opening.groups?.as}": say what the thing is or does`,
          },
        ]
      : found;
  });
}

/** All violations below the given files or folders, as sentences. */
export function violations(places = FOLDERS) {
  const replaced = replacedWords(fs.readFileSync(path.join(top, 'CONTRIBUTING.md'), 'utf8'));
  const inside = (file) => places.some((p) => file === p || file.startsWith(`${p.replace(/\/$/, '')}/`));
  return [...filesBelow(FOLDERS, READ), 'README.md', 'SECURITY.md']
    .filter((file) => (places === FOLDERS || inside(file)) && !PASSED_OVER.test(file) && !TEST.test(file))
    .flatMap((file) =>
      wordViolations(checkedText(file), replaced).map(({ line, message }) => `${file}:${line}: ${message}`),
    );
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const places = process.argv.slice(2);
  const found = violations(places.length ? places : FOLDERS);
  for (const text of found) console.error(text);
  console.log(`words: ${found.length} to replace`);
  process.exit(found.length ? 1 : 0);
}
