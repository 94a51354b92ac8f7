/** A containerd of our own, apart from any other on this machine: for conformance runs and tests on a real runtime. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { busyboxLayer, type ImageSpec, ociArchive } from './oci-image.js';

const run = promisify(execFile);

/** The image that test pods use. */
export const busyboxImage = 'localhost/busybox:dev';
/** The sandboxes' own image. */
export const pauseImage = 'localhost/pause:dev';

/** Waits for TERM in a way that also reaps orphans, as a pause process does. */
const pauseScript = "trap 'exit 0' TERM INT; while :; do sleep 2147483647 & wait $!; done";

const needed = [
  { file: '/usr/bin/containerd', from: 'containerd' },
  { file: '/usr/bin/ctr', from: 'containerd' },
  { file: '/usr/sbin/runc', from: 'runc' },
  { file: '/bin/busybox', from: 'busybox-static' },
  { file: '/usr/lib/cni/bridge', from: 'containernetworking-plugins' },
  { file: '/usr/lib/cni/host-local', from: 'containernetworking-plugins' },
] as const;

/** Returns advice on what keeps this machine from running a containerd of our own; undefined if nothing does. */
export function whyNoContainerd(): string | undefined {
  const missing = needed.filter(({ file }) => !existsSync(file));
  if (missing.length > 0) {
    const packages = [...new Set(missing.map(({ from }) => from))].join(' ');
    return `${missing.map(({ file }) => file).join(', ')} not found: install ${packages} (Debian: apt-get install ${packages})`;
  }
  return process.getuid?.() === 0
    ? undefined
    : 'containerd needs root: run as root, or give --runtime-endpoint unix:///... of a runtime that runs already';
}

/** A managed containerd. */
export class Containerd {
  readonly socket: string;
  readonly endpoint: string;
  private child: ChildProcess | null = null;

  private constructor(
    /** All of its files are below this folder. */
    readonly folder: string,
    private readonly bridge: string,
  ) {
    this.socket = join(folder, 'containerd.sock');
    this.endpoint = `unix://${this.socket}`;
  }

  /** Makes the folder, starts the daemon and imports the images. Throws with advice when this machine cannot. */
  static async create(): Promise<Containerd> {
    const reason = whyNoContainerd();
    if (reason !== undefined) throw new Error(reason);
    const folder = await mkdtemp(join(tmpdir(), 'syncloop-cri-'));
    const subnet = await freeSubnet();
    const containerd = new Containerd(folder, `sl${folder.slice(-6).replace(/[^A-Za-z0-9]/g, 'x')}`);
    try {
      await mkdir(join(folder, 'cni'));
      await writeFile(
        join(folder, 'cni', '10-bridge.conflist'),
        JSON.stringify(cniConfig(containerd, subnet), null, 2),
      );
      await writeFile(join(folder, 'config.toml'), config(folder));
      await containerd.start();
      await containerd.importImages();
    } catch (err) {
      await containerd.destroy();
      throw err;
    }
    return containerd;
  }

  get running(): boolean {
    return this.child !== null;
  }

  get bridgeName(): string {
    return this.bridge;
  }

  /** Starts the daemon and waits until it answers. */
  async start(): Promise<void> {
    const log = await open(join(this.folder, 'containerd.log'), 'a');
    const child = spawn('/usr/bin/containerd', ['--config', join(this.folder, 'config.toml')], {
      stdio: ['ignore', log.fd, log.fd],
      // Signals of the terminal are ours to handle; containerd is ended by stop().
      detached: true,
    });
    this.child = child;
    await log.close();
    let exited = false;
    child.once('exit', () => {
      exited = true;
    });
    for (let tries = 0; tries < 150; tries++) {
      if (exited) break;
      if (
        existsSync(this.socket) &&
        (await this.ctr('version').then(
          () => true,
          () => false,
        ))
      )
        return;
      await delay(100);
    }
    const text = await readFile(join(this.folder, 'containerd.log'), 'utf8');
    throw new Error(`containerd did not start; its log ends:\n${text.split('\n').slice(-12).join('\n')}`);
  }

  /** Ends the daemon as a crash would; containers go on. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    const child = this.child;
    this.child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    await gone;
  }

  /** Ends everything: daemon, shims, containers, cgroups, mounts, network, folder. */
  async destroy(): Promise<void> {
    await this.stop('SIGTERM');
    const runc = ['--root', join(this.folder, 'runc', 'k8s.io')];
    const { stdout } = await run('/usr/sbin/runc', [...runc, 'list', '-q']).catch(() => ({ stdout: '' }));
    for (const id of stdout.split('\n').filter(Boolean)) {
      await run('/usr/sbin/runc', [...runc, 'delete', '--force', id]).catch(() => {});
    }
    await this.killShims();
    for (const path of (await mountsUnder(this.folder)).reverse()) await run('umount', ['-l', path]).catch(() => {});
    await run('ip', ['link', 'del', this.bridge]).catch(() => {});
    const sandboxes = await readdir(join(this.folder, 'root/io.containerd.grpc.v1.cri/sandboxes')).catch(() => []);
    for (const id of sandboxes) {
      for (const name of [`cni-loopback-${id}-lo`, `syncloop-${id}-eth0`]) {
        await rm(join('/var/lib/cni/results', name), { force: true });
      }
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Runs `ctr` in the CRI's namespace. */
  async ctr(...args: string[]): Promise<string> {
    const { stdout } = await run('/usr/bin/ctr', ['-a', this.socket, '-n', 'k8s.io', ...args], { maxBuffer: 1 << 24 });
    return stdout;
  }

  private async importImages(): Promise<void> {
    await this.importBusybox(
      [
        { name: busyboxImage, cmd: ['sh'] },
        { name: pauseImage, entrypoint: ['/bin/busybox', 'sh', '-c', pauseScript] },
      ],
      'images.tar',
    );
  }

  /** Imports images that have busybox and nothing else; `name` is the archive's in the folder. */
  async importBusybox(images: readonly ImageSpec[], name: string): Promise<void> {
    const file = '/bin/busybox';
    const { stdout } = await run(file, ['--list']);
    const layer = busyboxLayer(await readFile(file), stdout.trim().split('\n'));
    const archive = join(this.folder, name);
    await writeFile(archive, ociArchive(layer, images, goArch()));
    await this.ctr('images', 'import', '--snapshotter', 'overlayfs', archive);
  }

  /** A shim outlives its containerd; killed, it leaves its socket behind. */
  private async killShims(): Promise<void> {
    for (const name of await readdir('/proc')) {
      const pid = Number(name);
      if (!Number.isInteger(pid)) continue;
      const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
      if (args[0]?.includes('containerd-shim') && args.includes(this.socket)) process.kill(pid, 'SIGKILL');
    }
    const bundles = join(this.folder, 'state/io.containerd.runtime.v2.task/k8s.io');
    for (const id of await readdir(bundles).catch(() => [])) {
      const address = await readFile(join(bundles, id, 'address'), 'utf8').catch(() => '');
      if (address.startsWith('unix:///')) await rm(address.slice('unix://'.length), { force: true });
    }
  }
}

async function mountsUnder(folder: string): Promise<string[]> {
  const table = await readFile('/proc/self/mounts', 'utf8');
  return table
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${folder}/`));
}

/** This machine's architecture, as Go names it. */
export function goArch(): string {
  return { x64: 'amd64', arm64: 'arm64', arm: 'arm', ia32: '386' }[arch() as string] ?? arch();
}

/**
 * Second number of a network 10.N.0.0/16 to which this machine has no route yet, drawn so that two runs at once differ.
 */
async function freeSubnet(): Promise<number> {
  const routes = await readFile('/proc/net/route', 'utf8').catch(() => '');
  // Destinations are in hexadecimal, last byte first: 10.89.0.0 is 0000590A.
  const taken = new Set(
    [...routes.matchAll(/\t[0-9A-F]{4}([0-9A-F]{2})0A\t/g)].map(([, hex]) => Number.parseInt(hex as string, 16)),
  );
  for (;;) {
    const n = randomInt(90, 250);
    if (!taken.has(n)) return n;
  }
}

function cniConfig({ folder, bridgeName }: Containerd, subnet: number): object {
  return {
    cniVersion: '0.4.0',
    name: 'syncloop',
    plugins: [
      {
        type: 'bridge',
        bridge: bridgeName,
        isGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          dataDir: join(folder, 'ipam'),
          ranges: [[{ subnet: `10.${subnet}.0.0/16` }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  };
}

/** containerd 1.6 and later read this. restrict_oom_score_adj: inside some VMs a process may not lower its own. */
function config(folder: string): string {
  const q = JSON.stringify;
  return `version = 2
root = ${q(join(folder, 'root'))}
state = ${q(join(folder, 'state'))}
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.native", "io.containerd.internal.v1.tracing",
  "io.containerd.tracing.processor.v1.otlp",
]
[grpc]
  address = ${q(join(folder, 'containerd.sock'))}
[ttrpc]
  address = ${q(join(folder, 'containerd.sock.ttrpc'))}
[debug]
  level = "info"
[plugins."io.containerd.internal.v1.opt"]
  path = ${q(join(folder, 'opt'))}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${q(pauseImage)}
  restrict_oom_score_adj = true
  disable_hugetlb_controller = true
  tolerate_missing_hugetlb_controller = true
  disable_apparmor = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = ${q(join(folder, 'cni'))}
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
        Root = ${q(join(folder, 'runc'))}
`;
}
