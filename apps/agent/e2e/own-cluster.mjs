/** A cluster of one node for tests: a real containerd, `syncloop kubelet --serve-api` on it, and kubectl. */
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, Running } from './programs.mjs';

const agent = new URL('../', import.meta.url);
const program = fileURLToPath(new URL('bin/syncloop.mjs', agent));

export class OwnCluster {
  running = [];

  /** Starts everything. The caller must call `destroy`, also when a test failed. */
  static async create() {
    const cluster = new OwnCluster();
    try {
      await cluster.prepare();
    } catch (err) {
      await cluster.destroy();
      throw err;
    }
    return cluster;
  }

  async prepare() {
    await access(new URL('dist/conformance/containerd.js', agent)).catch(() => {
      throw new Error('the agent is not built: run "npm run build" first');
    });
    const { busyboxImage, Containerd } = await import(new URL('dist/conformance/containerd.js', agent).href);
    const { removeLogLinks } = await import(new URL('dist/conformance/node-under-test.js', agent).href);
    this.image = busyboxImage;
    this.removeLogLinks = removeLogLinks;
    this.work = await mkdtemp(join(tmpdir(), 'syncloop-kubectl-'));
    this.containerd = await Containerd.create();
    await mkdir(join(this.work, 'home'));
    await writeFile(
      join(this.work, 'config.yaml'),
      `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: 127.0.0.1
port: ${await freePort()}
healthzPort: 0
podLogsDir: ${this.work}/logs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failCgroupV1: false
`,
    );
    this.kubeconfig = join(this.work, 'kubeconfig');
    this.kubelet = this.startKubelet();
    await this.kubelet.says('the API server', /export KUBECONFIG=/, { seconds: 20 });
  }

  startKubelet() {
    const kubelet = new Running(process.execPath, [
      ...[program, 'kubelet', '--serve-api=0', '--serve-api-kubeconfig', this.kubeconfig],
      ...['--config', join(this.work, 'config.yaml'), '--container-runtime-endpoint', this.containerd.endpoint],
      ...['--root-dir', join(this.work, 'root'), '--hostname-override', 'node1', '--no-ui', '-v', '4'],
    ]);
    this.running.push(kubelet);
    return kubelet;
  }

  /** Another node of the same cluster, by the kubeconfig, on the mock runtime: it speaks to the API server over HTTPS. */
  async join(name, ...flags) {
    const work = join(this.work, name);
    await mkdir(work);
    const endpoint = `unix://${work}/mock.sock`;
    const mock = new Running(process.execPath, [program, 'serve-mock', '--endpoint', endpoint]);
    this.running.push(mock);
    await mock.says('the mock runtime', /mock/);
    const config = await this.file(
      `${name}.yaml`,
      `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
enableServer: false
healthzPort: 0
podLogsDir: ${work}/logs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failCgroupV1: false
`,
    );
    const kubelet = new Running(process.execPath, [
      ...[
        program,
        'kubelet',
        '--kubeconfig',
        this.kubeconfig,
        '--config',
        config,
        '--container-runtime-endpoint',
        endpoint,
      ],
      ...['--root-dir', join(work, 'root'), '--hostname-override', name, '--no-ui', '-v', '4', ...flags],
    ]);
    this.running.push(kubelet);
    return kubelet;
  }

  /** kubectl as a program that runs on. `KUBECTL` names another one than that of the PATH. */
  begin(args, options = {}) {
    const env = {
      PATH: process.env.PATH,
      HOME: join(this.work, 'home'),
      KUBECONFIG: this.kubeconfig,
      TZ: 'UTC',
      ...options.env,
    };
    const made = new Running(process.env.KUBECTL ?? 'kubectl', args, { cwd: this.work, env });
    this.running.push(made);
    return made;
  }

  /** Runs kubectl to its end: exit code and what it printed. */
  async run(args, { input, seconds = 20, env } = {}) {
    const made = this.begin(args, { env });
    made.child.stdin.end(input);
    const timer = setTimeout(() => made.kill('SIGKILL'), seconds * 1000);
    const code = await made.exit;
    clearTimeout(timer);
    this.running.splice(this.running.indexOf(made), 1);
    return { code, stdout: made.stdout, stderr: made.stderr };
  }

  /** What it printed; an error where it failed. */
  async kubectl(...args) {
    const options = typeof args.at(-1) === 'object' ? args.pop() : {};
    const { code, stdout, stderr } = await this.run(args, options);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  }

  async json(...args) {
    return JSON.parse(await this.kubectl(...args, '-o', 'json'));
  }

  async file(name, text) {
    const path = join(this.work, name);
    await writeFile(path, text);
    return path;
  }

  async destroy() {
    for (const one of this.running.splice(0)) await one.kill('SIGKILL');
    await this.containerd?.destroy();
    if (this.work && this.removeLogLinks) await this.removeLogLinks(this.work);
    if (this.work) await rm(this.work, { recursive: true, force: true });
  }
}
