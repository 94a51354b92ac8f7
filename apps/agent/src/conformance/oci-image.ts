/** Small container images made on the spot: a static busybox as one layer, packed as an OCI layout in a tarball. */
import { createHash } from 'node:crypto';
import { type TarEntry, tar } from './tar.js';

/** An image to be built. */
export interface ImageSpec {
  /** Full reference, such as `localhost/busybox:dev`. */
  readonly name: string;
  readonly cmd?: readonly string[];
  readonly entrypoint?: readonly string[];
  /** `NAME=value`, besides PATH. */
  readonly env?: readonly string[];
  readonly workingDir?: string;
  readonly user?: string;
  readonly stopSignal?: string;
}

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

const oci = (kind: string) => `application/vnd.oci.image.${kind}`;
const digestOf = (data: Buffer) => createHash('sha256').update(data).digest('hex');

/**
 * Returns a tarball for `ctr images import` with all of `specs`, each with the same single layer. `architecture` is
 * Go's name of it. Same input, same bytes.
 */
export function ociArchive(layer: readonly TarEntry[], specs: readonly ImageSpec[], architecture: string): Buffer {
  const blobs = new Map<string, Buffer>();
  const put = (mediaType: string, data: Buffer): Descriptor => {
    const digest = digestOf(data);
    blobs.set(`blobs/sha256/${digest}`, data);
    return { mediaType, digest: `sha256:${digest}`, size: data.length };
  };
  const putJSON = (mediaType: string, value: unknown) => put(mediaType, Buffer.from(JSON.stringify(value)));
  const content = tar(layer);
  const layerBlob = put(oci('layer.v1.tar'), content);
  const manifests = specs.map((spec) => {
    const config = putJSON(oci('config.v1+json'), {
      architecture,
      os: 'linux',
      config: {
        Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...(spec.env ?? [])],
        ...(spec.entrypoint && { Entrypoint: spec.entrypoint }),
        ...(spec.cmd && { Cmd: spec.cmd }),
        ...(spec.workingDir && { WorkingDir: spec.workingDir }),
        ...(spec.user && { User: spec.user }),
        ...(spec.stopSignal && { StopSignal: spec.stopSignal }),
      },
      rootfs: { type: 'layers', diff_ids: [layerBlob.digest] },
    });
    const manifest = putJSON(oci('manifest.v1+json'), {
      schemaVersion: 2,
      mediaType: oci('manifest.v1+json'),
      config,
      layers: [layerBlob],
    });
    return {
      ...manifest,
      platform: { architecture, os: 'linux' },
      annotations: { 'io.containerd.image.name': spec.name },
    };
  });
  const index = { schemaVersion: 2, mediaType: oci('index.v1+json'), manifests };
  return tar([
    { name: 'oci-layout', data: Buffer.from('{"imageLayoutVersion":"1.0.0"}') },
    { name: 'index.json', data: Buffer.from(JSON.stringify(index)) },
    ...[...blobs].map(([name, data]) => ({ name, data })),
  ]);
}

/** A root file system with busybox as /bin/busybox and a link for each of `applets`. */
export function busyboxLayer(busybox: Buffer, applets: readonly string[]): TarEntry[] {
  const text = (name: string, data: string): TarEntry => ({ name, data: Buffer.from(data) });
  return [
    ...['bin', 'dev', 'etc', 'proc', 'root', 'sys', 'var'].map((name): TarEntry => ({ name, dir: true })),
    { name: 'tmp', dir: true, mode: 0o1777 },
    { name: 'bin/busybox', data: busybox, mode: 0o755 },
    ...applets.filter((name) => name !== 'busybox').map((name): TarEntry => ({ name: `bin/${name}`, link: 'busybox' })),
    text('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n'),
    text('etc/group', 'root:x:0:\nnobody:x:65534:\n'),
  ];
}
