#!/usr/bin/env node
/**
 * The product as it is installed: what runs, and nothing else. `--out DIR` makes the tree in a folder that is not there
 * yet, `--tar FILE` an archive of it (same sources and packages, same bytes). The container image and the systemd unit
 * hold this tree.
 *
 *   bin/syncloop            starts it; bin/kubectl-syncloop is the same for kubectl
 *   apps/agent, packages/*, apps/web/dist    built files, without sources, maps and types
 *   node_modules            what those need at run time, as package-lock.json has it, from this repository's
 *                           node_modules
 *   THIRD-PARTY.txt         these packages, their versions and licenses, and data of others in our own files
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { isBundleFresh } from '../apps/agent/bin/bundled.mjs';

/** Packages of ours that run as packages of the agent. */
const OWN = ['core', 'observe', 'workshop'];
/** Workspaces that run; the page is there as built files, its packages are in them. */
const RUNTIME = [...OWN.map((name) => `packages/${name}`), 'apps/agent'];

/**
 * Locations in a lock file (version 3) of all packages that the workspaces need at run time, their own left out, in
 * order. Programs need no types. Throws if the lock file lacks one that is not optional.
 */
export function runtimePackages(lock, workspaces = ['apps/agent']) {
  const found = new Set();
  const queue = [...workspaces];
  const seen = new Set();
  while (queue.length > 0) {
    const at = queue.pop();
    if (seen.has(at)) continue;
    seen.add(at);
    const { dependencies = {}, optionalDependencies = {} } = lock.packages[at];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (name.startsWith('@types/')) continue;
      const location = resolveFrom(lock, at, name);
      if (location === null) {
        if (Object.hasOwn(optionalDependencies, name)) continue;
        throw new Error(`package-lock.json has no ${name}, which ${at} needs: run npm install`);
      }
      const entry = lock.packages[location];
      if (entry.link) {
        queue.push(entry.resolved);
        continue;
      }
      found.add(location);
      queue.push(location);
    }
  }
  return [...found].sort();
}

/** Looks in the same places as Node: in each node_modules from here upwards. */
function resolveFrom(lock, from, name) {
  for (let at = from; ; at = at.replace(/(^|\/)[^/]+$/, '')) {
    if (path.posix.basename(at) !== 'node_modules') {
      const location = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
      if (Object.hasOwn(lock.packages, location)) return location;
    }
    if (at === '') return null;
  }
}

/** The folder of the page in the agent's npm package; in the archive it is a folder of its own. */
const PAGE = path.normalize('apps/agent/dist/page');
const BUNDLE = path.normalize('apps/agent/dist/bundle');

/** True for files that no running program reads; licenses stay. */
const superfluous = (file) =>
  /\.(map|tsbuildinfo|tsbuildinfo-test|d\.[mc]?ts|md|markdown)$/i.test(file) &&
  !/^(licen[cs]e|notice|copying)/i.test(path.basename(file));

/** Makes the tree below `out`; returns the number of packages in it. Throws an Error with the remedy. */
export function makeTree(top, out) {
  if (fs.existsSync(out)) throw new Error(`${out} is there already: remove it, or name another folder`);
  for (const built of ['packages/core/dist/kernel/index.js', 'apps/agent/dist/main.js', 'apps/web/dist/index.html'])
    if (!fs.existsSync(path.join(top, built))) throw new Error(`${built} is missing: run npm run build first`);
  const lock = JSON.parse(fs.readFileSync(path.join(top, 'package-lock.json'), 'utf8'));
  // One that was made before the last compilation would be taken for what it is not.
  const stale = !isBundleFresh(pathToFileURL(path.join(top, 'apps/agent/bin/')));
  const copy = (from, { all = false } = {}) => {
    fs.mkdirSync(path.dirname(path.join(out, from)), { recursive: true });
    fs.cpSync(path.join(top, from), path.join(out, from), {
      recursive: true,
      // Packages' own node_modules are packages of their own in the lock file.
      filter: (file) => {
        const inside = path.relative(path.join(top, from), file);
        if (path.join(from, inside) === PAGE || (stale && path.join(from, inside) === BUNDLE)) return false;
        return all || (!superfluous(inside) && !/(^|\/)node_modules$/.test(inside));
      },
    });
  };
  copy('LICENSE');
  for (const workspace of RUNTIME) {
    copy(`${workspace}/package.json`);
    copy(`${workspace}/dist`);
  }
  copy('apps/agent/bin');
  copy('apps/web/dist', { all: true });
  const packages = runtimePackages(lock);
  for (const location of packages) {
    if (!fs.existsSync(path.join(top, location))) {
      if (lock.packages[location].optional) continue;
      throw new Error(`${location} is missing: run npm ci --ignore-scripts first`);
    }
    copy(location);
  }
  fs.mkdirSync(path.join(out, 'node_modules/@syncloop'), { recursive: true });
  for (const name of OWN) fs.symlinkSync(`../../packages/${name}`, path.join(out, 'node_modules/@syncloop', name));
  const { version } = lock.packages[''];
  const own = {
    name: 'syncloop',
    version,
    private: true,
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: '>=20.19' },
  };
  fs.writeFileSync(path.join(out, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  const lines = packages.map((at) => {
    const { version: v, license = 'see the package' } = lock.packages[at];
    return `${at.replace(/^.*node_modules\//, '')} ${v} ${license}`;
  });
  // Its notice is in the file: packages/core/dist/redaction/rules/gitleaks.js.
  lines.push('gitleaks (rules, in packages/core) MIT');
  fs.writeFileSync(path.join(out, 'THIRD-PARTY.txt'), `${[...new Set(lines)].sort().join('\n')}\n`);
  fs.mkdirSync(path.join(out, 'bin'));
  for (const program of ['syncloop', 'kubectl-syncloop'])
    fs.writeFileSync(
      path.join(out, 'bin', program),
      [
        '#!/bin/sh',
        '# Also through a link to it.',
        `exec node "$(dirname "$(readlink -f "$0")")/../apps/agent/bin/${program}.mjs" "$@"`,
        '',
      ].join('\n'),
      { mode: 0o755 },
    );
  return packages.length;
}

/** An archive of `tree` as syncloop-VERSION/. */
function archive(tree, file, version) {
  const epoch = process.env.SOURCE_DATE_EPOCH ?? '0';
  const args = [
    '--sort=name',
    `--mtime=@${epoch}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u+rwX,go+rX,go-w',
  ];
  const name = `s,^\\.,syncloop-${version},`;
  const tar = execFileSync('tar', [...args, `--transform=flags=r;${name}`, '-C', tree, '-cf', '-', '.'], {
    maxBuffer: 512 * 1024 * 1024,
  });
  fs.writeFileSync(
    file,
    file.endsWith('gz') ? execFileSync('gzip', ['-n'], { input: tar, maxBuffer: 512 * 1024 * 1024 }) : tar,
  );
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
  try {
    const { values } = parseArgs({ options: { out: { type: 'string' }, tar: { type: 'string' } } });
    if (!values.out && !values.tar) throw new Error('give --out DIR or --tar FILE.tar.gz');
    const out = values.out
      ? path.resolve(values.out)
      : path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'package-')), 'tree');
    const count = makeTree(top, out);
    if (values.tar)
      archive(
        out,
        path.resolve(values.tar),
        JSON.parse(fs.readFileSync(path.join(out, 'package.json'), 'utf8')).version,
      );
    if (!values.out) fs.rmSync(path.dirname(out), { recursive: true });
    console.log(`${values.tar ?? out}: the product with ${count} packages`);
  } catch (error) {
    console.error(`package: ${error.message}`);
    process.exitCode = 1;
  }
}
