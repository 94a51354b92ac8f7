#!/usr/bin/env node
/**
 * Makes the files of a release: `node scripts/release.mjs --out DIR`, in a checkout that was installed and built. The
 * same commit, packages and version of npm give the same bytes.
 *
 *   syncloop-VERSION.tar.gz         the product, as scripts/package.mjs makes it
 *   syncloop-core-VERSION.tgz, syncloop-observe-VERSION.tgz, syncloop-workshop-VERSION.tgz, syncloop-agent-VERSION.tgz
 *                                the same as packages of npm
 *   syncloop-VERSION.cdx.json       all packages in it, those that are built into the page too (CycloneDX)
 *   syncloop.yaml                   the manifest of the kubectl plug-in, for krew
 *   SHA256SUMS                      of these, for sha256sum --check
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

/** Packages of npm that are packed; the page is in the agent's. */
export const PACKED = ['packages/core', 'packages/observe', 'packages/workshop', 'apps/agent'];
/** Workspaces whose packages are in the product. */
const SHIPPED = [...PACKED, 'apps/web'];

/**
 * Returns npm's own SBOM without the parts that differ each time: the name of the folder, a random serial number (here
 * one of the content, as a UUID of version 8) and the time, which is that of the commit. `epochSeconds`: since 1970.
 */
export function normalSBOM(text, epochSeconds) {
  const { serialNumber: _, ...sbom } = JSON.parse(text);
  sbom.metadata.timestamp = new Date(epochSeconds * 1000).toISOString();
  Object.assign(sbom.metadata.component, { name: 'syncloop', type: 'application' });
  const digest = createHash('sha256').update(JSON.stringify(sbom)).digest('hex');
  const uuid = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  const { $schema, bomFormat, specVersion, ...rest } = sbom;
  return `${JSON.stringify({ $schema, bomFormat, specVersion, serialNumber: `urn:uuid:${uuid}`, ...rest }, null, 2)}\n`;
}

/** Lines as sha256sum prints and reads them, by name. */
export function checksums(folder, names) {
  return [...names]
    .sort()
    .map((name) => {
      const digest = createHash('sha256')
        .update(fs.readFileSync(path.join(folder, name)))
        .digest('hex');
      return `${digest}  ${name}\n`;
    })
    .join('');
}

/**
 * Returns the manifest by which krew installs `kubectl syncloop`: one archive for all platforms, because it needs Node.
 * `repository`: such as https://github.com/OWNER/REPOSITORY. upstream: krew, docs/developer-guide plugin manifest
 */
export function krewManifest({ version, archive, sha256, repository }) {
  const platforms = [
    ['linux', 'amd64'],
    ['linux', 'arm64'],
    ['darwin', 'amd64'],
    ['darwin', 'arm64'],
  ];
  const platform = ([os, arch]) => `    - selector:
        matchLabels: { os: ${os}, arch: ${arch} }
      uri: ${repository}/releases/download/v${version}/${archive}
      sha256: ${sha256}
      files:
        - { from: 'syncloop-${version}/*', to: . }
      bin: bin/kubectl-syncloop
`;
  return `apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: syncloop
spec:
  version: v${version}
  homepage: ${repository}
  shortDescription: Say what went wrong on a node, from its kubelet's log
  description: |
    Fetches the log of a node's kubelet through the API server, and shows it
    in a debugger or says what went wrong, on one node or on many. It installs
    nothing in the cluster, and only reads.
  caveats: |
    It needs Node.js 20.19 or later on the PATH, and the right to get
    nodes/proxy.
  platforms:
${platforms.map(platform).join('')}`;
}

function makeRelease(top, out) {
  if (fs.existsSync(out) && fs.readdirSync(out).length > 0)
    throw new Error(`${out} is not empty: remove it, or name another folder`);
  fs.mkdirSync(out, { recursive: true });
  const run = (command, args, env = {}) =>
    execFileSync(command, args, {
      cwd: top,
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
  const epoch = process.env.SOURCE_DATE_EPOCH ?? run('git', ['log', '-1', '--format=%ct']).trim();
  const { version } = JSON.parse(fs.readFileSync(path.join(top, 'package.json'), 'utf8'));
  const archive = `syncloop-${version}.tar.gz`;
  run(process.execPath, ['scripts/package.mjs', '--tar', path.join(out, archive)], { SOURCE_DATE_EPOCH: epoch });
  const packs = PACKED.flatMap((workspace) => ['-w', workspace]);
  const packed = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', out, ...packs]));
  const workspaces = SHIPPED.flatMap((workspace) => ['-w', workspace]);
  const sbom = run('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only', ...workspaces]);
  const bill = `syncloop-${version}.cdx.json`;
  fs.writeFileSync(path.join(out, bill), normalSBOM(sbom, Number(epoch)));
  const { GITHUB_SERVER_URL: server = 'https://github.com', GITHUB_REPOSITORY: repository = 'OWNER/REPOSITORY' } =
    process.env;
  const sha256 = checksums(out, [archive]).slice(0, 64);
  const manifest = krewManifest({ version, archive, sha256, repository: `${server}/${repository}` });
  fs.writeFileSync(path.join(out, 'syncloop.yaml'), manifest);
  const names = [archive, bill, 'syncloop.yaml', ...Object.values(packed).map(({ filename }) => filename)];
  fs.writeFileSync(path.join(out, 'SHA256SUMS'), checksums(out, names));
  return [...names, 'SHA256SUMS'];
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
  try {
    const { values } = parseArgs({ options: { out: { type: 'string' } } });
    if (!values.out) throw new Error('give --out DIR');
    for (const name of makeRelease(top, path.resolve(values.out))) console.log(name);
  } catch (error) {
    console.error(`release: ${error.message}`);
    process.exitCode = 1;
  }
}
