/**
 * Counts the files that an addition touches. Each row of CONTRIBUTING's table that has no test beside the code is
 * counted here on one example: the sources that name it in a table, a type or a registration. When a list grows, adding
 * such a thing has become harder. Words in passing (comments, tests, documents) are not counted.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow } from './imports.mjs';
import { top } from './lib.mjs';

const TEST = /\.test\.(tsx?|mjs)$/;
const read = (file) => fs.readFileSync(path.join(top, file), 'utf8');
const files = [
  ...filesBelow(['packages', 'apps', 'scripts', 'bench', 'attack'], /\.(tsx?|mjs|css|yaml|json)$/),
  'docs/developers/fidelity/rows.json',
  'docs/developers/fidelity/notes.json',
].filter((file) => !/^scripts\/additions|\/(e2e|gen|testdata|recordings)\//.test(file));
/** Text of a source without lines of comments. */
const code = new Map(files.map((file) => [file, read(file).replace(/^\s*(\/?\*+[ /]|\/\/|#).*$/gm, '')]));
const naming = (pattern, inTests) =>
  files.filter((file) => (inTests || !TEST.test(file)) && pattern.test(code.get(file)));

const core = 'packages/core/src';
const page = 'apps/web/src/features';
/** Row of the table -> an example of it, the place that names it, and the files that name it. */
const ROWS = {
  'a breakpoint kind': {
    example: 'config-op',
    pattern: /'config-op'/,
    files: [
      `${page}/breakpoints/logic/breakpoints.ts`,
      `${core}/debug/breakpoints/kinds.ts`,
      `${core}/debug/breakpoints/match.ts`,
      // Only for a kind with names that the palette stops at.
      `${core}/names/index.ts`,
    ],
  },
  'a graph part': {
    example: 'deletor',
    pattern: /^\s+deletor: |["']deletor["']|'all\.deletor/m,
    files: [
      `${page}/graph/everything/en.ts`,
      `${page}/graph/everything/extra-node.tsx`,
      `${page}/graph/everything/side-boxes.tsx`,
      `${page}/graph/everything/zh-cn.ts`,
      `${page}/graph/geometry/geometry-everything.ts`,
      `${core}/kubelet/pod-container-deletor.ts`,
      `${core}/trace/kinds/kind.ts`,
      // Only for goroutines in recordings of before.
      `${core}/trace/state/goroutine-places.ts`,
    ],
  },
  'a scenario step': {
    example: 'systemOOM',
    pattern: /'systemOOM'|^\s+systemOOM: /m,
    files: [
      `${core}/scenario/document/parse-steps.ts`,
      `${core}/scenario/document/scenario.ts`,
      `${core}/scenario/run/act.ts`,
      `${core}/trace/narrator/outside-en.ts`,
      `${core}/trace/narrator/outside-zh.ts`,
    ],
  },
  'a fault': {
    example: 'pressure',
    // An incident has the same name, and is none of the places of a fault.
    without: [`${core}/debug/incidents/`, 'packages/observe/src/twin/remedies/'],
    pattern: /kind: 'pressure'|case 'pressure'|^\s+pressure: (form|\{|\(|\/)|'faults\.pressure'/m,
    files: [
      `${page}/faults/en.ts`,
      `${page}/faults/logic/faults.ts`,
      `${page}/faults/zh-cn.ts`,
      `${core}/scenario/document/fault-types.ts`,
      `${core}/scenario/document/parse-fault.ts`,
      `${core}/scenario/faults/faults.ts`,
      `${core}/trace/narrator/outside-en.ts`,
      `${core}/trace/narrator/outside-zh.ts`,
      `${core}/trace/narrator/outside.ts`,
    ],
  },
  "a version's rule": {
    example: 'immediateEvictionGracePeriod',
    pattern: /\bimmediateEvictionGracePeriod\b/,
    files: [
      `${core}/kubelet/era/types.ts`,
      `${core}/kubelet/eras/v1.21/index.ts`,
      `${core}/kubelet/eras/v1.25/index.ts`,
      `${core}/kubelet/kubelet.ts`,
    ],
  },
  'an inspector tab': {
    example: 'history',
    pattern: /'inspector\.history'|'changed', 'history'|^ {2}history: true,$|^export function History\b/m,
    files: [
      `${page}/inspector/commands.ts`,
      `${page}/inspector/en.ts`,
      `${page}/inspector/feature.ts`,
      `${page}/inspector/history.tsx`,
      `${page}/inspector/zh-cn.ts`,
      `${page}/share/share-view.ts`,
      `${core}/lessons/names.ts`,
    ],
  },
  'a scenario': {
    example: 'pull-refused',
    pattern: /\bpull-?refused\b/i,
    files: ['packages/core/content/scenarios/pull-refused.yaml'],
  },
  'a lesson': {
    example: 'article-iteration',
    pattern: /\barticle-?iteration\b/i,
    files: ['packages/core/content/lessons/article-iteration.yaml'],
  },
  'a stage': {
    example: '04-probes',
    // All of its files are in its folder, which no source names.
    pattern: /04-probes/,
    files: [],
  },
  'a command of the page': {
    example: 'view.fit',
    pattern: /'(view|command)\.fit'/,
    files: [`${page}/graph/commands.ts`, `${page}/graph/en.ts`, `${page}/graph/zh-cn.ts`],
  },
  'a command of the agent': {
    example: 'explore',
    pattern: /^ {2}explore: \{$|'syncloop explore|parseArgs\('explore'|\/explore\.js'/m,
    files: ['apps/agent/src/commands/explore.ts', 'apps/agent/src/commands/index.ts'],
  },
  'a fidelity row': {
    example: '1:W11',
    pattern: /['"[]1:W11\b/,
    inTests: true,
    files: [`${core}/kubelet/podworkers/pod-workers.test.ts`, 'docs/developers/fidelity/rows.json'],
  },
};

describe('adding', () => {
  it.each(Object.entries(ROWS))('%s touches no more files than CONTRIBUTING.md says', (_, row) => {
    const { pattern, inTests, without = [] } = row;
    const named = naming(pattern, inTests).filter((file) => !without.some((folder) => file.startsWith(folder)));
    expect(named, `files that name ${row.example}`).toEqual(row.files);
  });

  it('a panel touches its folder and two lines', () => {
    const own = `${page}/outline/`;
    const named = naming(
      /['"]outline['"]|'\.\/outline\/|'(view|panel|command)\.outline'|^\s+outline(: (true|\{.*\}))?,$/m,
    );
    expect(named.filter((file) => !file.startsWith(own))).toEqual(['apps/web/arrows.mjs', `${page}/index.ts`]);
    expect(named.length).toBeGreaterThan(2);
  });

  it('is in the table of CONTRIBUTING.md with the number of its files', () => {
    const table = new Map(
      [...read('CONTRIBUTING.md').matchAll(/^\| \[([^\]]+)\]\(#[^)]+\) \| (\d+)\b/gm)].map(([, row, n]) => [
        row,
        Number(n),
      ]),
    );
    expect(table.size).toBeGreaterThan(Object.keys(ROWS).length);
    for (const [row, { files: expected }] of Object.entries(ROWS))
      expect(table.get(row) ?? 0, row).toBe(expected.length);
  });
});
