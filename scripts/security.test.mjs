import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ofRepository, problems, ROWS } from './security.mjs';

const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const read = (file) => fs.readFileSync(path.join(top, file), 'utf8');
const json = (file) => JSON.parse(read(file));

describe('SECURITY.md', () => {
  it('has each row, and each names tests that there are', () => {
    expect(ofRepository()).toEqual([]);
  });

  it('what is missing would be found', () => {
    const row = (n, tests) => `| ${n} | threat | holds | ${tests} |`;
    const good = '`a.test.ts`: holds';
    const all = (tests) => Array.from({ length: ROWS }, (_, i) => row(i + 1, i === 4 ? tests : good)).join('\n');
    const files = (file) => (file === 'a.test.ts' ? "it('holds', " : null);
    expect(problems(all(good), files)).toEqual([]);
    expect(problems(all('none'), files)).toEqual(['row 5 names no test']);
    expect(problems(all('this does not apply'), files)).toEqual([]);
    expect(problems(all('`b.test.ts`: holds'), files)).toEqual(['row 5: there is no b.test.ts']);
    expect(problems(all('`a.test.ts`: falls'), files)).toEqual(['row 5: a.test.ts has no test with the words "falls"']);
    expect(problems(all('`a.test.ts`: holds; `b.test.ts`: x'), files)).toEqual(['row 5: there is no b.test.ts']);
    expect(problems(all(good).split('\n').slice(1).join('\n'), files)).toEqual(['row 1 is missing']);
  });
});

describe('what comes from elsewhere', () => {
  const lock = json('package-lock.json');
  const workspaces = ['packages/core', 'packages/observe', 'packages/workshop', 'apps/agent', 'apps/web'];

  it('has no install scripts but those that are known and not run', () => {
    const scripts = Object.entries(lock.packages).filter(([, p]) => p.hasInstallScript);
    // protobufjs' prints a remark; buf's fetches a binary, which is a package, too.
    expect(scripts.map(([name]) => name.replace(/^.*node_modules\//, '')).toSorted()).toEqual(['protobufjs']);
    const tools = Object.entries(json('scripts/protobuf/package-lock.json').packages);
    expect(tools.flatMap(([name, p]) => (p.hasInstallScript ? [name] : []))).toEqual(['node_modules/@bufbuild/buf']);
    for (const workspace of ['.', ...workspaces])
      for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
        expect(json(`${workspace}/package.json`).scripts?.[name], `${workspace}: ${name}`).toBeUndefined();
  });

  it('is installed without scripts', () => {
    const calls = [
      'scripts/lib.mjs',
      ...fs
        .readdirSync(path.join(top, 'scripts'))
        .filter((f) => f.endsWith('.mjs'))
        .map((f) => `scripts/${f}`),
    ];
    for (const file of calls)
      for (const [line] of read(file).matchAll(/^.*\[\s*'(ci|install)'.*npm.*$|^.*npm(?:'|\b).*'(ci|install)'.*$/gm))
        expect(line, file).toContain('--ignore-scripts');
    expect(read('scripts/lib.mjs')).toContain('--ignore-scripts');
  });

  it('is installed without scripts by whoever types npm install, too', () => {
    const settings = new Map(
      read('.npmrc')
        .split('\n')
        .map((line) => line.replace(/^\s*[#;].*/, '').split('='))
        .filter(([name]) => name.trim() !== '')
        .map(([name, value]) => [name.trim(), value?.trim()]),
    );
    expect(settings.get('ignore-scripts')).toBe('true');
  });

  it('is of a known content: each package has a digest, and none comes by another way', () => {
    for (const [name, entry] of Object.entries(lock.packages)) {
      if (!name.includes('node_modules/') || entry.link) continue;
      expect(entry.integrity, name).toMatch(/^sha512-/);
      expect(entry.resolved ?? 'https://registry.npmjs.org/', name).toMatch(/^https:\/\/registry\.npmjs\.org\//);
    }
  });

  it('ships for a reason: each runtime dependency has its line in docs/developers/dependencies.md', () => {
    const lines = read('docs/developers/dependencies.md')
      .split('\n')
      .filter((l) => l.startsWith('| '));
    const known = (name) =>
      lines.some((l) => l.split('|')[1].includes(`\`${name}\``) || l.includes(`\`${name.split('/')[0]}/*\``));
    for (const workspace of workspaces)
      for (const name of Object.keys(json(`${workspace}/package.json`).dependencies ?? {}))
        if (!name.startsWith('@syncloop/')) expect(known(name), `${workspace}: ${name}`).toBe(true);
  });

  it('does not have the versions with known holes that this product would be open to', () => {
    const atLeast = { '@grpc/grpc-js': [1, 14, 4], 'socket.io-parser': [4, 2, 7], yaml: [2, 8, 3], ws: [8, 17, 1] };
    for (const [name, least] of Object.entries(atLeast)) {
      const all = Object.entries(lock.packages).filter(([at]) => at.endsWith(`node_modules/${name}`));
      expect(all.length, name).toBeGreaterThan(0);
      for (const [at, { version }] of all) {
        const parts = version.split('.').map(Number);
        const order = parts.map((p, i) => p - least[i]).find((d) => d !== 0) ?? 0;
        expect(order, `${at} ${version}`).toBeGreaterThanOrEqual(0);
      }
    }
  });
});
