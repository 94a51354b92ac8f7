import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasStepsOnly, needsApiServer, type Recording } from '@syncloop/core/conformance/compare';
import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../cri/tap.js';
import { CriLog } from './cri-log.js';
import { readRecording } from './recording.js';
import { stepArgs, unsupportedStep } from './steps.js';

describe('steps', () => {
  it('names the first that cannot be done, and why', () => {
    expect(unsupportedStep([['wait', 1], ['killSandbox', 'x'], ['stopRuntime']])).toBeUndefined();
    expect(unsupportedStep([['nodeReady', 30], ['create', {}], ['stopApi']])).toBeUndefined();
    expect(unsupportedStep([['waitt', 1]])).toMatch(/^step 1, "waitt", is not a known verb \(known: put, rm, /);
    expect(unsupportedStep([['constructor']])).toMatch('not a known verb');
  });

  it('shows a pod by its name', () => {
    expect(stepArgs('put', [{ metadata: { name: 'web' } }])).toEqual(['web']);
    expect(stepArgs('phase', ['web', 'Running', 5])).toEqual(['web', 'Running', 5]);
  });
});

describe('needsApiServer', () => {
  const bare: Recording = { scenario: 's', steps: [], marks: [], cri: [], status: [], klog: [] };
  it('looks at what was recorded', () => {
    expect(needsApiServer(bare)).toBe(false);
    expect(needsApiServer({ ...bare, node: {} })).toBe(true);
    expect(needsApiServer({ ...bare, steps: [['nodeReady', 30]] })).toBe(true);
    expect(needsApiServer({ ...bare, steps: [['wait', 3]] })).toBe(false);
  });
});

describe('readRecording', () => {
  it('takes a file with steps alone, and no half recording', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'syncloop-steps-'));
    const read = async (doc: object) => {
      const file = join(folder, 'some.json');
      await writeFile(file, JSON.stringify(doc));
      return readRecording(file);
    };
    try {
      const bare = await read({ steps: [['wait', 1]] });
      expect([bare.scenario, bare.cri, hasStepsOnly(bare)]).toEqual(['some', [], true]);
      await expect(read({ steps: [], cri: [] })).rejects.toThrow('it has no list "status"');
      await expect(read({ cri: [], status: [], klog: [] })).rejects.toThrow('it has no list "steps"');
      const call = { seq: 0, at: 0, tookMs: 0, method: 'Version', request: {} };
      expect(hasStepsOnly(await read({ steps: [], cri: [call], status: [], klog: [] }))).toBe(false);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('CriLog', () => {
  it('keeps unary calls in the order in which they began, without the answers of polling ones', () => {
    let now = 0;
    const log = new CriLog(() => now);
    const tap = log.tap();
    const begin = (id: number, method: CallEvent['method']) => tap({ phase: 'begin', id, method, at: 0, request: {} });
    const end = (id: number, method: CallEvent['method'], response: object, request: object = {}) =>
      tap({ phase: 'end', id, method, at: 0, tookMs: 1.6, request, response });
    begin(1, 'pullImage');
    now = 5;
    begin(2, 'listContainers');
    end(2, 'listContainers', { containers: [{}] });
    begin(3, 'getContainerEvents');
    end(3, 'getContainerEvents', {});
    begin(4, 'execSync');
    end(4, 'execSync', { stdout: Buffer.from('hi').toString('base64'), exitCode: 3 });
    begin(5, 'createContainer');
    end(5, 'createContainer', {}, { config: { envs: [{ key: 'A', value: Buffer.from('1').toString('base64') }] } });
    end(1, 'pullImage', { imageRef: 'x' });
    expect(log.all()).toEqual([
      { seq: 0, at: 0, method: 'PullImage', request: {}, tookMs: 2, response: { imageRef: 'x' } },
      { seq: 1, at: 5, method: 'ListContainers', request: {}, tookMs: 2 },
      {
        seq: 2,
        at: 5,
        method: 'ExecSync',
        request: {},
        tookMs: 2,
        response: { exitCode: 3, stdout: { type: 'Buffer', data: [104, 105] } },
      },
      {
        seq: 3,
        at: 5,
        method: 'CreateContainer',
        request: { config: { envs: [{ key: 'A', value: { type: 'Buffer', data: [49] } }] } },
        tookMs: 2,
        response: {},
      },
    ]);
  });
});
