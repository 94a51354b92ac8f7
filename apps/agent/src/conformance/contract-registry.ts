/** A registry on this machine with one small image, for pulls by a real runtime. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { registryImages } from '@syncloop/core/conformance';
import { goArch } from './containerd.js';
import { tar } from './tar.js';

const oci = (kind: string) => `application/vnd.oci.image.${kind}`;
const digestOf = (data: Buffer) => `sha256:${createHash('sha256').update(data).digest('hex')}`;

/** A registry that runs: plain HTTP on `localhost`, which containerd takes for such hosts. */
export interface Registry {
  /** `localhost:PORT` */
  readonly host: string;
  close(): Promise<void>;
}

/** Serves `registryImages`: the good one; the denied one wants a password; any other is unknown. */
export async function startRegistry(): Promise<Registry> {
  const layer = tar([{ name: 'pulled', data: Buffer.from('yes\n') }]);
  const config = Buffer.from(
    JSON.stringify({
      architecture: goArch(),
      os: 'linux',
      config: { Cmd: ['true'] },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  );
  const part = (mediaType: string, data: Buffer) => ({ mediaType, digest: digestOf(data), size: data.length });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: oci('manifest.v1+json'),
      config: part(oci('config.v1+json'), config),
      layers: [part(oci('layer.v1.tar'), layer)],
    }),
  );
  const [good = '', tag = ''] = registryImages.good.split(':');
  const denied = registryImages.denied.split(':')[0] ?? '';
  const files = new Map<string, { type: string; data: Buffer }>([
    [`/v2/${good}/manifests/${tag}`, { type: oci('manifest.v1+json'), data: manifest }],
    [`/v2/${good}/manifests/${digestOf(manifest)}`, { type: oci('manifest.v1+json'), data: manifest }],
    ...[layer, config].map(
      (data) => [`/v2/${good}/blobs/${digestOf(data)}`, { type: 'application/octet-stream', data }] as const,
    ),
  ]);
  const port = () => (server.address() as AddressInfo).port;
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const file = files.get(path);
    if (file) {
      response.writeHead(200, {
        'content-type': file.type,
        'content-length': file.data.length,
        'docker-content-digest': digestOf(file.data),
      });
      response.end(request.method === 'HEAD' ? undefined : file.data);
    } else if (path.startsWith(`/v2/${denied}/`)) {
      // A large registry does the same: any stranger gets a token, which does not permit this pull.
      const realm = `http://localhost:${port()}/token`;
      const scope = `repository:${denied}:pull`;
      response.writeHead(401, {
        'www-authenticate': `Bearer realm="${realm}",service="contract",scope="${scope}",error="insufficient_scope"`,
      });
      response.end();
    } else if (path === '/token') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"token":"for-strangers"}');
    } else {
      response.writeHead(path === '/v2/' ? 200 : 404, { 'content-type': 'application/json' });
      response.end(path === '/v2/' ? '{}' : '{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `localhost:${port()}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
