import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCommand } from '@syncloop/core/debug';
import { compile } from '@syncloop/core/expression';
import { tryDecodeSinglePod } from '@syncloop/core/kubelet';
import { scrubText } from '@syncloop/core/redaction';
import { bytesSource, openRecording, RecordingWriter, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { parseYAML } from '../base/yaml.js';
import { nodeOS } from '../host/os.js';
import { served } from '../kubelet-server/testing/served.js';
import { startRecorder } from '../recording/recorder.js';
import { blankHeader } from '../testing/blank-header.js';
import { cpuMillis } from '../testing/cpu-time.js';
import { realKernel, run, tempFolder } from '../testing/harness.js';

const decode = (text: string) => tryDecodeSinglePod(text, { source: '/x.yaml', isFile: true, nodeName: 'node1' });
const errorOf = (text: string) => {
  const result = decode(text);
  return 'error' in result ? result.error.message : '';
};

describe('manifests', () => {
  it('that nest too deep do not end the process, however many come', () => {
    // The second such text kills a process that gives it to the parser.
    for (const text of ['['.repeat(1000), '{a: '.repeat(1000), `${'- '.repeat(1000)}x`, `{"a":${'['.repeat(5000)}`]) {
      for (let i = 0; i < 3; i++) {
        expect(errorOf(text)).toMatch(/exceeded max depth/);
        expect(() => parseYAML('x', text)).toThrow(/exceeded max depth/);
      }
    }
  });

  it('that grow when they are read, or are too long, are refused soon', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((c, i) => `${c}: &${c} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[i]}`).join(',')}]`)
      .join('\n')}\n`;
    const spent = cpuMillis(() => {
      expect(errorOf(bomb)).not.toBe('');
      expect(errorOf(`a: ${'x'.repeat(11 * 1024 * 1024)}`)).toMatch(/read limit/);
      expect(() => parseYAML('x', `a: ${'x'.repeat(2 * 1024 * 1024)}`)).toThrow(/larger than 1 MiB/);
      expect(errorOf(Array.from({ length: 60_000 }, (_, i) => `k${i}: 1`).join('\n'))).not.toBe('');
    });
    expect(spent).toBeLessThan(15_000);
  });

  it('pollute nothing', () => {
    for (const key of ['__proto__', 'constructor', 'prototype'])
      for (const text of [
        `apiVersion: v1\nkind: Pod\nmetadata: {name: x, ${key}: {polluted: 1}}\nspec: {containers: [{name: a, image: b}]}\n`,
        `{"apiVersion":"v1","kind":"Pod","${key}":{"polluted":1},"metadata":{"name":"x","labels":{"${key}":"y"}}}`,
      ])
        decode(text);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((Object as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('that are links lead the kubelet to a file, and nobody to what is in it', async () => {
    const folder = await tempFolder();
    const secret = 'Cnry5shadowLine';
    const kernel = realKernel();
    const texts = {
      shadow: `root:${secret}:19000:0:99999:7:::\n`,
      key: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`,
      json: `{"auths": {"registry.test": {"password": "${secret}"}}}`,
      list: `- ${secret}\n`,
      broken: `a: [${secret}\n`,
      kubeconfig: `kind: Config\napiVersion: v1\nusers: [{name: u, user: {token: ${secret}}}]\n`,
    };
    await mkdir(join(folder, 'manifests'));
    for (const [name, text] of Object.entries(texts)) {
      await writeFile(join(folder, name), text);
      await symlink(join(folder, name), join(folder, 'manifests', name));
      const read = await run(kernel, () => nodeOS().readFile(join(folder, 'manifests', name)));
      // Links are followed as upstream: a folder that a ConfigMap was mounted into has nothing but links.
      expect(read).toBe(text);
      const message = errorOf(read);
      expect(message, name).not.toBe('');
      expect(scrubText(message), name).not.toContain(secret);
    }
  });

  it('have no names that lead out of a folder', () => {
    for (const name of ['../x', 'a/b', '..', '.', 'a\0b', 'A', ''])
      expect(
        errorOf(
          `{"apiVersion":"v1","kind":"Pod","metadata":{"name":${JSON.stringify(name)}},"spec":{"containers":[{"name":"a","image":"b"}]}}`,
        ),
        name,
      ).not.toBe('');
    for (const [field, value] of [
      ['namespace', '../../etc'],
      ['uid', '../../etc'],
    ])
      expect(
        errorOf(
          `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","${field}":"${value}"},"spec":{"containers":[{"name":"a","image":"b"}]}}`,
        ),
        field,
      ).not.toBe('');
    const containers = (name: string) =>
      `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[{"name":"${name}","image":"b"}],"volumes":[{"name":"${name}","emptyDir":{}}]}}`;
    expect(errorOf(containers('../../x'))).not.toBe('');
    expect(errorOf(containers('fine'))).toBe('');
  });
});

describe('what a page sends', () => {
  it('names no file out of the manifest folder', () => {
    for (const file of ['../x.yaml', '/etc/x', 'a/b', 'a\\b', '..', '.', '', 'x\0', 'x\n'])
      for (const command of [
        { do: 'apply', manifest: '', file },
        { do: 'delete', file },
      ])
        expect(() => parseCommand(command), JSON.stringify(command)).toThrow(/plain file name/);
  });

  it('has no pattern that takes long', () => {
    const text = 'a'.repeat(100_000);
    for (const pattern of ['(a+)+$', '(a|a)*b', '*a*a*a*a*a*a*a*a*b', '?*?*?*?*?*?*x', 'a*'.repeat(50)]) {
      const spent = cpuMillis(() => {
        try {
          compile(`matches(${JSON.stringify(text)}, ${JSON.stringify(pattern)})`);
        } catch {
          // Longer than an expression may be: that is an answer, too.
        }
      });
      expect(spent, pattern).toBeLessThan(500);
    }
  });
});

describe('recordings', () => {
  const record = (body: object) => ({ seq: 1, time: 0, g: 0, span: 0, cause: 0, ...body }) as unknown as TraceRecord;
  function recorded(...records: TraceRecord[]) {
    const chunks: Uint8Array[] = [];
    const writer = new RecordingWriter((chunk) => chunks.push(chunk), blankHeader);
    for (const one of records) writer.push(one);
    writer.close();
    return Buffer.concat(chunks);
  }

  it('pollute nothing, whatever keys they have', () => {
    const hostile = JSON.parse(
      '{"kind":"input","verb":"__proto__","args":[{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}]}',
    );
    const decision = JSON.parse(
      '{"kind":"decision","rule":"__proto__","verdict":"x","values":{"__proto__":{"polluted":1}},"pod":"__proto__","uid":"__proto__"}',
    );
    const recording = openRecording(bytesSource(recorded(record(hostile), record({ ...decision, seq: 2 }))));
    expect([...recording]).toHaveLength(2);
    recording.stateAt(2);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('that claim to be huge are refused before they are', () => {
    const bytes = recorded(record({ kind: 'input', verb: 'x', args: ['y'.repeat(5000)] }));
    let refused = 0;
    const spent = cpuMillis(() => {
      for (let at = 0; at < bytes.length; at++) {
        const broken = Buffer.from(bytes);
        broken.fill(0xff, at, Math.min(at + 4, bytes.length));
        try {
          for (const _ of openRecording(bytesSource(broken)));
        } catch (err) {
          refused++;
          expect((err as Error).name).toMatch(/RecordingError|BytesError/);
        }
      }
    });
    expect(refused).toBeGreaterThan(10);
    expect(spent).toBeLessThan(10_000);
  });

  it('are for their owner only, also where a file was there for all', async () => {
    const folder = await tempFolder();
    const file = join(folder, 'r');
    await writeFile(file, '');
    await chmod(file, 0o666);
    startRecorder(file, blankHeader, () => {}, { flushEvery: null }).close();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

describe('the kubelet’s own server', () => {
  it('has no path that leads to a file', async () => {
    const { ask } = await served();
    for (const path of [
      '/../../etc/passwd',
      '/..%2f..%2fetc%2fpasswd',
      '/logs/../../../etc/passwd',
      '/logs/..%2f..%2f..%2fetc%2fpasswd',
      '/logs/%2e%2e/%2e%2e/etc/passwd',
      '/containerLogs/..%2f..%2fetc/passwd/x',
      '/containerLogs/default/..%2f..%2f..%2fetc%2fpasswd/app',
      '//etc/passwd',
    ]) {
      const { status, body } = await ask(path);
      expect(status, path).toBeGreaterThanOrEqual(300);
      expect(body, path).not.toContain('root:');
    }
  });
});
