/** The files of a release besides its archive, and the workflow that makes them. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { top } from './lib.mjs';
import { checksums, krewManifest, normalSBOM } from './release.mjs';

describe('a release', () => {
  it('has a list of packages that is the same each time, but for what is in it', () => {
    const made = (serial, name, components) =>
      JSON.stringify({
        $schema: 's',
        bomFormat: 'CycloneDX',
        specVersion: '1.5',
        serialNumber: serial,
        metadata: { timestamp: `${serial} o'clock`, component: { name, type: 'library', version: '0.1.0' } },
        components,
      });
    const one = normalSBOM(made('1', 'here', [{ name: 'a' }]), 1_000_000_000);
    expect(normalSBOM(made('2', 'there', [{ name: 'a' }]), 1_000_000_000)).toBe(one);
    const found = JSON.parse(one);
    expect(found.metadata).toMatchObject({
      timestamp: '2001-09-09T01:46:40.000Z',
      component: { name: 'syncloop', type: 'application', version: '0.1.0' },
    });
    expect(found.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    const other = JSON.parse(normalSBOM(made('1', 'here', [{ name: 'b' }]), 1_000_000_000));
    expect(other.serialNumber).not.toBe(found.serialNumber);
  });

  it('has checksums that sha256sum takes', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'release-'));
    onTestFinished(() => fs.rmSync(folder, { recursive: true }));
    fs.writeFileSync(path.join(folder, 'b'), 'abc');
    fs.writeFileSync(path.join(folder, 'a'), '');
    expect(checksums(folder, ['b', 'a'])).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n' +
        'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n',
    );
  });
});

describe('the manifest for krew', () => {
  it('has the archive of the release for each platform, and the plug-in in it', () => {
    const made = parse(
      krewManifest({
        version: '1.2.3',
        archive: 'syncloop-1.2.3.tar.gz',
        sha256: 'a'.repeat(64),
        repository: 'https://github.com/o/r',
      }),
    );
    expect(made).toMatchObject({ kind: 'Plugin', metadata: { name: 'syncloop' }, spec: { version: 'v1.2.3' } });
    // The limits of krew's index: upstream: krew, internal/index/validation.
    expect(made.spec.shortDescription.length).toBeLessThanOrEqual(80);
    expect(made.spec.platforms.map(({ selector }) => Object.values(selector.matchLabels).join('/'))).toEqual([
      'linux/amd64',
      'linux/arm64',
      'darwin/amd64',
      'darwin/arm64',
    ]);
    for (const { uri, sha256, bin, files } of made.spec.platforms) {
      expect(uri).toBe('https://github.com/o/r/releases/download/v1.2.3/syncloop-1.2.3.tar.gz');
      expect(sha256).toMatch(/^a{64}$/);
      expect(files).toEqual([{ from: 'syncloop-1.2.3/*', to: '.' }]);
      expect(bin).toBe('bin/kubectl-syncloop');
    }
  });
});

describe('the workflow of a release', () => {
  const workflow = parse(fs.readFileSync(path.join(top, '.github/workflows/release.yml'), 'utf8'));
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps);

  it('is started by tags of versions, and by nobody else', () => {
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
  });

  it('has no right but where it is needed: what builds and tests may read, what signs runs nothing of ours', () => {
    expect(workflow.permissions).toEqual({});
    for (const [name, { permissions, steps: all }] of jobs) {
      const writes = Object.entries(permissions).filter(([, right]) => right === 'write');
      if (name === 'build') expect(permissions).toEqual({ contents: 'read' });
      if (writes.length === 0) continue;
      expect(all.filter(({ uses = '' }) => uses.startsWith('actions/checkout'))).toEqual([]);
      expect(all.filter(({ run = '' }) => /\b(npm|npx|node)\b/.test(run))).toEqual([]);
    }
    expect(workflow.jobs.sign.permissions).toEqual({ contents: 'write', 'id-token': 'write', attestations: 'write' });
  });

  it('names each action by the digest of a commit, as that of the tests does', () => {
    const tests = parse(fs.readFileSync(path.join(top, '.github/workflows/test.yml'), 'utf8'));
    expect(tests.permissions).toEqual({});
    const used = [...steps, ...tests.jobs.test.steps].flatMap(({ uses }) => (uses ? [uses] : []));
    expect(used.length).toBeGreaterThan(3);
    for (const one of used) expect(one).toMatch(/^(actions|sigstore)\/[\w-]+@[0-9a-f]{40}$/);
  });

  it('tests what it builds, runs no install scripts, and signs what it made', () => {
    const said = workflow.jobs.build.steps.map(({ run = '' }) => run).join('\n');
    const at = ['npm ci --ignore-scripts', 'npm run test:all', 'scripts/release.mjs'].map((words) =>
      said.indexOf(words),
    );
    expect(at.every((n) => n >= 0)).toBe(true);
    expect([...at].sort((a, b) => a - b)).toEqual(at);
    expect(workflow.jobs.sign.needs).toBe('build');
    const attests = workflow.jobs.sign.steps.filter(({ uses = '' }) => uses.startsWith('actions/attest'));
    expect(attests[0].with['subject-checksums']).toBe('release/SHA256SUMS');
    // No text that somebody else chooses becomes part of a script.
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });
});
