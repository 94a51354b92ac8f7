import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { busyboxLayer, ociArchive } from './oci-image.js';
import { tar } from './tar.js';

/** The members of an archive, checked. */
function untar(archive: Buffer): Map<string, { data: Buffer; type: string; mode: number; link: string }> {
  const out = new Map<string, { data: Buffer; type: string; mode: number; link: string }>();
  const text = (from: number, length: number, at: number) =>
    archive.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '');
  for (let at = 0; archive[at] !== 0; ) {
    const size = Number.parseInt(text(124, 12, at), 8);
    const sum = Number.parseInt(text(148, 8, at), 8);
    const header = Buffer.from(archive.subarray(at, at + 512)).fill(' ', 148, 156);
    expect(header.reduce((a, b) => a + b, 0)).toBe(sum);
    expect(text(257, 6, at)).toBe('ustar');
    const data = archive.subarray(at + 512, at + 512 + size);
    out.set(text(0, 100, at), {
      data,
      type: text(156, 1, at),
      mode: Number.parseInt(text(100, 8, at), 8),
      link: text(157, 100, at),
    });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return out;
}

describe('ociArchive', () => {
  const layer = busyboxLayer(Buffer.from('BUSYBOX'), ['sh', 'busybox', 'cat']);
  const images = [
    { name: 'localhost/busybox:dev', cmd: ['sh'] },
    { name: 'localhost/pause:dev', entrypoint: ['/bin/busybox', 'sh'] },
  ];

  it('is an OCI layout in which every digest fits', () => {
    const files = untar(ociArchive(layer, images, 'amd64'));
    const blob = (digest: string, size?: number) => {
      const data = files.get(`blobs/${digest.replace(':', '/')}`)?.data as Buffer;
      expect(`sha256:${createHash('sha256').update(data).digest('hex')}`).toBe(digest);
      if (size !== undefined) expect(data.length).toBe(size);
      return data;
    };
    expect(JSON.parse(files.get('oci-layout')?.data.toString() as string)).toEqual({ imageLayoutVersion: '1.0.0' });
    const index = JSON.parse(files.get('index.json')?.data.toString() as string);
    expect(index.manifests.map((m: { annotations: object }) => m.annotations)).toEqual(
      images.map(({ name }) => ({ 'io.containerd.image.name': name })),
    );
    const configs = index.manifests.map(({ digest, size }: { digest: string; size: number }) => {
      const manifest = JSON.parse(blob(digest, size).toString());
      const [only] = manifest.layers;
      expect(untar(blob(only.digest, only.size)).get('bin/busybox')).toMatchObject({
        mode: 0o755,
        data: Buffer.from('BUSYBOX'),
      });
      const config = JSON.parse(blob(manifest.config.digest, manifest.config.size).toString());
      expect(config.rootfs.diff_ids).toEqual([only.digest]);
      return config.config;
    });
    expect(configs[0]).toMatchObject({ Cmd: ['sh'] });
    expect(configs[1]).toMatchObject({ Entrypoint: ['/bin/busybox', 'sh'] });
  });

  it('is the same for the same input', () => {
    expect(ociArchive(layer, images, 'arm64').equals(ociArchive(layer, images, 'arm64'))).toBe(true);
  });

  it('links the applets, and lets all write to /tmp', () => {
    const files = untar(tar(layer));
    expect(files.get('bin/sh')).toMatchObject({ type: '2', link: 'busybox' });
    expect(files.get('tmp/')).toMatchObject({ type: '5', mode: 0o1777 });
    expect(() => tar([{ name: 'x'.repeat(101) }])).toThrow('longer than 100 bytes');
  });
});
