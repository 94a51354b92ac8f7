/** Documents that must agree with what is there: the index of decisions, the versions of formats, fidelity, READMEs. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULES } from './arrows.mjs';
import { filesBelow } from './imports.mjs';
import { top } from './lib.mjs';

const read = (file) => fs.readFileSync(path.join(top, file), 'utf8');

describe('decisions', () => {
  const folder = 'docs/decisions';
  const files = fs
    .readdirSync(path.join(top, folder))
    .filter((f) => /^\d{4}-.*\.md$/.test(f))
    .sort();

  it('have a number, a title and a date each, and the table of the README has them all', () => {
    const rows = files.map((file) => {
      const text = read(`${folder}/${file}`);
      const [, number, title] = /^# (\d+)\. (.+)\n\nDate: \d{4}-\d\d-\d\d\n/.exec(text) ?? [];
      expect(`${file}: ${number}`).toBe(`${file}: ${Number(file.slice(0, 4))}`);
      return `| ${number} | [${title}](${file}) | ${/^Date: (\S+)$/m.exec(text)[1]} |`;
    });
    const table = read(`${folder}/README.md`)
      .split('\n')
      .filter((line) => /^\| \d/.test(line));
    expect(table).toEqual(rows);
  });
  it('have numbers that nobody has twice', () => {
    expect(new Set(files.map((f) => f.slice(0, 4))).size).toBe(files.length);
  });
});

/** Constants that number a format: name -> value. Versions of programs, of Kubernetes and of its API are none. */
function versionConstants() {
  const found = [];
  for (const file of filesBelow(['packages', 'apps'], /\.tsx?$/)) {
    if (/\.test\.|\/gen\/|\/testing\/|\/src\/kubelet\/|\/apiserver\//.test(file)) continue;
    for (const [, name, number, text] of read(file).matchAll(
      /^(?:export )?const (\w*(?:VERSION|PROTOCOL|APIVersion)) = (?:(\d+)|'(syncloop\.dev\/[^']+)')(?: as const)?;/gm,
    ))
      found.push({ file, name, value: number ?? text });
  }
  return found;
}

describe('formats', () => {
  const sections = read('docs/formats.md').split(/^## /m).slice(1);

  it('are all in docs/formats.md, with the version that the code has', () => {
    const constants = versionConstants();
    expect(constants.length).toBeGreaterThanOrEqual(8);
    for (const { file, name, value } of constants) {
      const section = sections.find((s) => s.includes(`\`${name}\` in`) && s.includes(path.basename(file)));
      const place = `${name} of ${file}: a section of docs/formats.md that names both, with a row of version ${value}`;
      expect(section ? `${place}` : `missing: ${place}`).toBe(place);
      expect(section.includes(`\n| ${value} | `) ? place : `missing: ${place}`).toBe(place);
    }
  });
  it('name nothing that is gone', () => {
    const names = versionConstants().map((c) => c.name);
    for (const section of sections)
      for (const [, name] of section.matchAll(/^`(\w+)` in /gm)) expect(names).toContain(name);
  });
});

it('the page about fidelity is what the rows and the tests that name them make', () => {
  execFileSync(process.execPath, ['scripts/fidelity.mjs', '--check'], { cwd: top, stdio: 'pipe' });
});

describe('READMEs', () => {
  /** Files that a program makes; and what has the README one folder up. */
  const without = ['packages/core/src/cri/gen', 'packages/observe/src', 'apps/agent/src', 'apps/web/src'];
  const rooms = RULES.map(({ from }) => from).filter((room) => !without.includes(room));

  it('are in each room that has a rule of its own', () => {
    expect(rooms.length).toBeGreaterThan(100);
    expect(rooms.filter((room) => !fs.existsSync(path.join(top, room, 'README.md')))).toEqual([]);
  });
  it('have at most 40 lines', () => {
    const lines = (room) => read(`${room}/README.md`).trimEnd().split('\n').length;
    expect(rooms.filter((room) => fs.existsSync(path.join(top, room, 'README.md')) && lines(room) > 40)).toEqual([]);
  });
});

describe('the rooms of core', () => {
  const rooms = fs
    .readdirSync(path.join(top, 'packages/core/src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

  it('are all in the table of the README, and nothing else is', () => {
    const listed = [...read('README.md').matchAll(/^\| `packages\/core\/src\/([\w-]+)` \|/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(rooms);
  });
  it('of the other packages that it names are there', () => {
    const listed = [...read('README.md').matchAll(/^\| `(packages\/(?!core\/)[\w/-]+)` \|/gm)].map(
      ([, place]) => place,
    );
    expect(listed).toContain('packages/observe');
    expect(listed.filter((place) => !fs.existsSync(path.join(top, place, 'README.md')))).toEqual([]);
  });
  it('are all on the floor of CONTRIBUTING.md, and nothing else is', () => {
    const [, floor] = /^\| core \| (.*) \|$/m.exec(read('CONTRIBUTING.md')) ?? [];
    expect([...floor.matchAll(/`([\w-]+)`/g)].map(([, name]) => name).sort()).toEqual(rooms);
  });
});
