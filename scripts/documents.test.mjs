/** Documents that must agree with the code: the index of decisions, the versions of formats, fidelity, READMEs. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULES } from './arrows.mjs';
import { filesBelow } from './imports.mjs';
import { top } from './lib.mjs';

const read = (file) => fs.readFileSync(path.join(top, file), 'utf8');

describe('decisions', () => {
  const folder = 'docs/developers/decisions';
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
  const sections = read('docs/developers/formats.md').split(/^## /m).slice(1);

  it('are all in docs/developers/formats.md, with the version that the code has', () => {
    const constants = versionConstants();
    expect(constants.length).toBeGreaterThanOrEqual(8);
    for (const { file, name, value } of constants) {
      const section = sections.find((s) => s.includes(`\`${name}\` in`) && s.includes(path.basename(file)));
      const place = `${name} of ${file}: a section of docs/developers/formats.md that names both, with a row of version ${value}`;
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

it('the version of a release is the same wherever it stands', () => {
  const { version, workspaces } = JSON.parse(read('package.json'));
  const lock = JSON.parse(read('package-lock.json'));
  const found = { 'package-lock.json': lock.version };
  for (const folder of ['', ...workspaces]) {
    const own = JSON.parse(read(path.posix.join(folder, 'package.json')));
    found[`${folder}/package.json`] = own.version;
    found[`${folder} in package-lock.json`] = lock.packages[folder].version;
    for (const [name, range] of Object.entries(own.dependencies ?? {}))
      if (name.startsWith('@syncloop/')) found[`${name} of ${folder}`] = range.replace('^', '');
  }
  for (const file of filesBelow(['deploy/kubernetes'], /kustomization\.yaml$/))
    for (const [, tag] of read(file).matchAll(/newTag: (\S+)/g)) found[file] = tag;
  const recordings = 'apps/web/src/features/recordings/recordings.ts';
  found[recordings] = /^const VERSION = '(.+)';$/m.exec(read(recordings))?.[1];
  found['CHANGELOG.md'] = /^## (\d\S+) \(\d{4}-\d\d-\d\d\)$/m.exec(read('CHANGELOG.md'))?.[1];
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((place) => [place, version])));
});

describe('READMEs', () => {
  /** Files that a program makes; and folders that have their README one folder up. */
  const without = [
    'packages/core/src/cri/gen',
    'packages/observe/src',
    'packages/workshop/src',
    'apps/agent/src',
    'apps/web/src',
  ];
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

const foldersIn = (folder) =>
  fs
    .readdirSync(path.join(top, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => name)
    .sort();
const namesIn = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name).sort();

describe('tables of rooms have all rooms, and nothing else:', () => {
  const core = foldersIn('packages/core/src');
  const packages = foldersIn('packages').filter((name) => name !== 'core');
  const apps = foldersIn('apps');

  it('docs/developers/structure.md: the rooms of core, each other package, each app', () => {
    const rows = namesIn(read('docs/developers/structure.md'), /^\| `((?:packages|apps)\/[^`]+)` \|/gm);
    expect(rows).toEqual(
      [
        'packages/core/content',
        ...core.map((room) => `packages/core/src/${room}`),
        ...packages.map((name) => `packages/${name}`),
        ...apps.map((name) => `apps/${name}`),
      ].sort(),
    );
  });
  it('CONTRIBUTING.md: a floor for each package and app, and the rooms of core on its own', () => {
    const [, floors] = read('CONTRIBUTING.md').split(/^\| Floor \| Rooms \|\n/m);
    const rows = namesIn(floors.split('\n\n')[0], /^\| (\w[\w-]*) \|/gm);
    expect(rows).toEqual([...apps.map((name) => (name === 'web' ? 'page' : name)), 'core', ...packages].sort());
    const [, floor] = /^\| core \| (.*) \|$/m.exec(floors);
    expect(namesIn(floor, /`([\w-]+)`/g)).toEqual(core);
  });
  it('apps/agent/README.md', () => {
    expect(namesIn(read('apps/agent/README.md'), /\]\(src\/([\w-]+)\/README\.md\)/g)).toEqual(
      foldersIn('apps/agent/src'),
    );
  });
  it('apps/web/README.md', () => {
    expect(namesIn(read('apps/web/README.md'), /^\| `([\w-]+)\/` \|/gm)).toEqual(foldersIn('apps/web/src'));
  });
});

it('the README has at most 80 lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(80);
});

describe('links', () => {
  const slug = (heading) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-');
  const files = execFileSync('git', ['ls-files', '*.md'], { cwd: top, encoding: 'utf8' }).trim().split('\n');
  const withoutCode = (text) => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
  const links = files.flatMap((file) =>
    namesIn(withoutCode(read(file)), /\]\(([^)\s]+)\)/g)
      .filter((link) => !/^\w+:/.test(link))
      .map((link) => {
        const [target, anchor] = link.split('#');
        return { file, link, to: target ? path.posix.join(path.posix.dirname(file), target) : file, anchor };
      }),
  );

  it('of documents lead to files that exist, and to headings in them', () => {
    expect(links.length).toBeGreaterThan(200);
    const headings = (file) => namesIn(read(file), /^#+ (.+)$/gm).map(slug);
    const broken = links.filter(
      ({ to, anchor }) =>
        !fs.existsSync(path.join(top, to)) || (anchor && to.endsWith('.md') && !headings(to).includes(anchor)),
    );
    expect(broken.map(({ file, link }) => `${file}: ${link}`)).toEqual([]);
  });
  it('of docs/README.md lead to each document', () => {
    const wanted = files.filter((file) => /^docs\/[^/]+\/[^/]+\.md$/.test(file));
    const reached = links.filter(({ file }) => file === 'docs/README.md').map(({ to }) => to);
    expect(wanted.filter((file) => !reached.includes(file))).toEqual([]);
  });
  it('in code and READMEs name no document that is gone', () => {
    const named = filesBelow(['packages', 'apps', 'scripts', 'bench', 'attack', 'deploy'], /\.(tsx?|mjs|md|yaml|sh)$/)
      .filter((file) => !/\/gen\/|\/testdata\/|scripts\/changed\.test\.mjs$/.test(file))
      .flatMap((file) => namesIn(read(file), /(?<![\w/.-])(docs\/[\w-]+\/[\w./-]+\.(?:md|json))\b/g));
    expect(named.length).toBeGreaterThan(40);
    expect([...new Set(named)].filter((file) => !fs.existsSync(path.join(top, file)))).toEqual([]);
  });
});
