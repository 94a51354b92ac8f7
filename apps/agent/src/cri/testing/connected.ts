import type { CRIServices } from '@syncloop/core/cri';
import type { Kernel } from '@syncloop/core/kernel';
import { onTestFinished } from 'vitest';
import { fakeRuntime, tempFolder } from '../../testing/harness.js';
import { type ConnectOptions, connectRuntime } from '../client.js';
import { serveRuntime } from '../server.js';

/** A client of a server of a runtime with just these methods. */
export async function connected(kernel: Kernel, methods: Partial<CRIServices>, options?: ConnectOptions) {
  const folder = await tempFolder();
  const endpoint = `unix://${folder}/cri.sock`;
  const fake = fakeRuntime(methods);
  const server = await serveRuntime(kernel, fake, fake, endpoint);
  onTestFinished(() => server.close());
  const client = await connectRuntime(endpoint, options);
  onTestFinished(() => client.close());
  return { ...client, server, endpoint, folder };
}
