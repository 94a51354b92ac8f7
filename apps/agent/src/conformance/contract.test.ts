import { describe, expect, it } from 'vitest';
import { contract } from './contract.js';
import { startRegistry } from './contract-registry.js';

describe('contract', () => {
  it('serves the mock over gRPC, and counts', async () => {
    const lines: string[] = [];
    const totals = await contract({ runtime: 'mock', only: ['runtime: Version'], verbose: true }, (l) => lines.push(l));
    expect(totals).toEqual({ passed: 1, failed: 0 });
    expect(lines).toEqual([
      expect.stringMatching(/^ok {3}runtime: Version names the runtime and the API \([\d.]+ s\)$/),
      'ok   runtime: 1 of 1 cases',
    ]);
  });

  it('says what is wrong with the command line, or the machine', async () => {
    await expect(contract({ runtime: 'mock', only: ['nosuch'] }, () => {})).rejects.toThrow(
      'no case has nosuch in its',
    );
    const endpoint = 'unix:///nosuch.sock';
    await expect(contract({ runtime: 'cri', endpoint }, () => {})).rejects.toMatchObject({
      name: 'SetupError',
      message: expect.stringContaining('no container runtime socket at /nosuch.sock'),
    });
  });
});

describe('startRegistry', () => {
  it('has one image, one for others, and no more', async () => {
    const { host, close } = await startRegistry();
    try {
      const get = (path: string) => fetch(`http://${host}/v2/${path}`);
      const manifest = await get('contract/good/manifests/1');
      const { layers } = (await manifest.json()) as { layers: { digest: string; size: number }[] };
      const layer = await get(`contract/good/blobs/${layers[0]?.digest}`);
      expect([manifest.status, (await layer.arrayBuffer()).byteLength]).toEqual([200, layers[0]?.size]);
      const denied = await get('contract/denied/manifests/1');
      expect([denied.status, denied.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('error="insufficient_scope"'),
      ]);
      expect((await get('contract/absent/manifests/1')).status).toBe(404);
    } finally {
      await close();
    }
  });
});
