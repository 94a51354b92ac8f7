import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { PodResourcesLister } from '@syncloop/core/kubelet';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf, tempFolder } from '../testing/harness.js';
import { pluginSockets } from './sockets.js';

const nobody: PodResourcesLister = {
  *list() {
    return [];
  },
  *get() {
    throw new Error('nobody');
  },
  *getAllocatableResources() {
    return { devices: [], cpuIds: [], memory: [] };
  },
};
const run = () => Promise.reject(new Error('no kernel here'));

describe('the sockets of a kubelet', () => {
  it('are not there below a root directory that is too long for them, which is told', () => {
    const told: string[] = [];
    expect(pluginSockets(`/${'x'.repeat(80)}`, (text) => told.push(text))).toBeNull();
    expect(told).toEqual([
      expect.stringMatching(/^no device plug-ins and no pod resources API: .*choose a shorter --root-dir$/),
    ]);
    expect(pluginSockets(`/${'x'.repeat(70)}`, (text) => told.push(text))).not.toBeNull();
    expect(told).toHaveLength(1);
  });

  it('end the start of a kubelet where another program has the place of one', async () => {
    const root = await tempFolder();
    await mkdir(join(root, 'pod-resources'));
    const path = join(root, 'pod-resources', 'kubelet.sock');
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(path, resolve));
    onTestFinished(() => void other.close());
    const sockets = pluginSockets(root);
    const error = await errorOf<Error>(sockets?.servePodResources(nobody, run) ?? Promise.resolve());
    expect(error.name).toBe('SetupError');
    expect(error.message).toMatch(/^cannot serve the pod resources API: somebody already listens at .*kubelet\.sock/);
    await sockets?.close();
  });
});
