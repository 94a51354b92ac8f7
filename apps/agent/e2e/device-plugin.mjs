/**
 * A small device plug-in, as a program of its own: it offers devices that are all /dev/null, and obeys its standard
 * input. It speaks Kubernetes' API through @grpc/proto-loader, and shares no code with the kubelet.
 *
 *   node device-plugin.mjs --resource example.com/fake --kubelet DIR --devices a,b [--registry DIR]
 *                          [--dies METHOD] [--hangs METHOD]
 *
 * DIR is the kubelet's folder `device-plugins`; with --registry it registers by a socket in that folder
 * (`plugins_registry`) instead. When METHOD is called it ends as by SIGKILL, or never answers. It takes lines on its
 * standard input: `unhealthy a`, `healthy a`, `fail TEXT` (Allocate fails from now on; without a text: no more). Each
 * thing that happens is a line of its output.
 */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { credentials, loadPackageDefinition, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const api = fileURLToPath(new URL('../src/plugins/api/', import.meta.url));
/** The services of one of Kubernetes' APIs. */
export const load = (file) =>
  loadPackageDefinition(loadSync(join(api, `${file}.proto`), { keepCase: true, defaults: true, longs: Number }));

/** Makes one call to the pod resources API below a kubelet's root directory. */
export async function podResources(root, method, request = {}) {
  const socket = join(root, 'pod-resources', 'kubelet.sock');
  const client = new (load('podresources').v1.PodResourcesLister)(`unix://${socket}`, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
  });
  try {
    return await new Promise((resolve, reject) => {
      client[method](request, { deadline: Date.now() + 20_000 }, (err, answer) =>
        err ? reject(err) : resolve(answer),
      );
    });
  } finally {
    client.close();
  }
}

const isMain = process.argv[1] === fileURLToPath(import.meta.url);
if (isMain) await main();

async function main() {
  const { values } = parseArgs({
    options: {
      resource: { type: 'string' },
      kubelet: { type: 'string' },
      devices: { type: 'string' },
      registry: { type: 'string' },
      dies: { type: 'string' },
      hangs: { type: 'string' },
    },
  });
  const { resource, kubelet, registry } = values;
  const { v1beta1 } = load('deviceplugin');
  const kubeletSocket = join(kubelet, 'kubelet.sock');
  const socket = join(registry ?? kubelet, `${basename(resource)}.sock`);
  const health = new Map(values.devices.split(',').map((id) => [id, 'Healthy']));
  const watchers = new Set();
  let failure = '';
  const say = (...words) => console.log(words.join(' '));
  const devices = () => ({ devices: [...health].map(([ID, health]) => ({ ID, health })) });

  // Containers with a device find a file that says which ones they have.
  const files = await mkdtemp(join(tmpdir(), 'device-plugin-'));
  await writeFile(join(files, 'about'), `devices of ${resource}\n`);

  const options = { pre_start_required: true, get_preferred_allocation_available: true };
  const plugin = {
    GetDevicePluginOptions: (_call, answer) => answer(null, options),
    ListAndWatch(call) {
      watchers.add(call);
      call.on('error', () => {});
      call.on('cancelled', () => watchers.delete(call));
      say('watched');
      call.write(devices());
    },
    // The last ones first, so that it can be seen whose choice it was.
    GetPreferredAllocation: ({ request }, answer) =>
      answer(null, {
        container_responses: request.container_requests.map((c) => ({
          deviceIDs: [...c.available_deviceIDs].sort().reverse().slice(0, c.allocation_size),
        })),
      }),
    Allocate({ request }, answer) {
      const wanted = request.container_requests.map((c) => c.devices_ids);
      say('allocate', ...wanted.flat());
      if (failure) return answer({ code: status.UNKNOWN, details: failure });
      answer(null, {
        container_responses: wanted.map((ids) => ({
          envs: { FAKE_DEVICES: ids.join(','), FAKE_LICENCE: 'Lic3nceOfThePlug1n' },
          mounts: [{ container_path: '/etc/fake-device', host_path: join(files, 'about'), read_only: true }],
          devices: ids.map((id) => ({ container_path: `/dev/fake-${id}`, host_path: '/dev/null', permissions: 'rw' })),
          annotations: { 'example.com/fake-devices': ids.join(',') },
        })),
      });
    },
    PreStartContainer({ request }, answer) {
      say('prestart', ...request.devices_ids);
      answer(null, {});
    },
  };

  for (const [name, method] of Object.entries(plugin)) {
    plugin[name] = (call, answer) => {
      if (name === values.dies) {
        say('dies in', name);
        process.kill(process.pid, 'SIGKILL');
      } else if (name === values.hangs) say('hangs in', name);
      else method(call, answer);
    };
  }

  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const [, word, rest] = /^(\S+) ?(.*)$/.exec(line) ?? [];
    say('does', line);
    if (word === 'fail') failure = rest;
    if (word !== 'healthy' && word !== 'unhealthy') return;
    health.set(rest, word === 'healthy' ? 'Healthy' : 'Unhealthy');
    for (const call of watchers) call.write(devices());
  });

  /** Serves at the socket; a kubelet that starts removes it. */
  const serve = async () => {
    const server = new Server();
    server.addService(v1beta1.DevicePlugin.service, plugin);
    if (registry) {
      server.addService(load('pluginregistration').pluginregistration.Registration.service, {
        GetInfo: (_call, answer) =>
          answer(null, { type: 'DevicePlugin', name: resource, endpoint: '', supported_versions: ['v1beta1'] }),
        NotifyRegistrationStatus({ request }, answer) {
          say(request.plugin_registered ? 'registered' : `refused ${request.error}`);
          answer(null, {});
        },
      });
    }
    await rm(socket, { force: true });
    await new Promise((resolve, reject) =>
      server.bindAsync(`unix://${socket}`, ServerCredentials.createInsecure(), (err) =>
        err ? reject(err) : resolve(),
      ),
    );
    return server;
  };

  const register = async () => {
    const client = new v1beta1.Registration(`unix://${kubeletSocket}`, credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
    });
    const request = { version: 'v1beta1', endpoint: basename(socket), resource_name: resource, options };
    const error = await new Promise((resolve) => client.Register(request, { deadline: Date.now() + 30_000 }, resolve));
    client.close();
    say(error ? `refused ${error.details}` : 'registered');
    return !error;
  };

  process.on('SIGTERM', async () => {
    await rm(socket, { force: true });
    await rm(files, { recursive: true, force: true });
    process.exit(0);
  });

  const identity = (path) =>
    stat(path, { bigint: true }).then(
      (s) => `${s.ino} ${s.birthtimeNs}`,
      () => null,
    );
  if (registry) {
    await serve();
    say('serves', dirname(socket));
    return;
  }
  // Each kubelet that starts creates its socket again, and has forgotten all plug-ins.
  let server = null;
  for (let known = null; ; await delay(100)) {
    const now = await identity(kubeletSocket);
    if (now === null || now === known) continue;
    server?.forceShutdown();
    watchers.clear();
    server = await serve();
    if (await register()) known = now;
  }
}
