/** A cluster of one node for tests: a real containerd, `syncloop kubelet --serve-api` on it, and kubectl. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built, kubeletArgs, kubeletConfiguration, program } from './node-files.mjs';
import { freePort, Running } from './programs.mjs';

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
    const { busyboxImage, Containerd } = await built('conformance/containerd.js');
    const { removeLogLinks } = await built('conformance/node-under-test.js');
    this.image = busyboxImage;
    this.removeLogLinks = removeLogLinks;
    this.work = await mkdtemp(join(tmpdir(), 'syncloop-kubectl-'));
    this.containerd = await Containerd.create();
    await mkdir(join(this.work, 'home'));
    await writeFile(
      join(this.work, 'config.yaml'),
      kubeletConfiguration(this.work, { port: await freePort(), healthzPort: 0 }),
    );
    this.kubeconfig = join(this.work, 'kubeconfig');
    this.kubelet = this.startKubelet();
    await this.kubelet.says('the API server', /export KUBECONFIG=/, { seconds: 60 });
  }

  startKubelet() {
    const kubelet = new Running(process.execPath, [
      program,
      ...kubeletArgs(this.work, this.containerd.endpoint, '--no-ui', '-v', '4'),
      ...['--serve-api=0', '--serve-api-kubeconfig', this.kubeconfig],
    ]);
    this.running.push(kubelet);
    return kubelet;
  }

  /**
   * Another node of the same cluster, by the kubeconfig, on the mock runtime: it speaks to the API server over HTTPS.
   */
  async join(name, ...flags) {
    const work = join(this.work, name);
    await mkdir(work);
    const endpoint = `unix://${work}/mock.sock`;
    const mock = new Running(process.execPath, [program, 'serve-mock', '--endpoint', endpoint]);
    this.running.push(mock);
    await mock.says('the mock runtime', /mock/);
    await this.file(`${name}/config.yaml`, kubeletConfiguration(work, { enableServer: false, healthzPort: 0 }));
    const kubelet = new Running(process.execPath, [
      program,
      ...kubeletArgs(work, endpoint, '--hostname-override', name, '--no-ui', '-v', '4'),
      ...['--kubeconfig', this.kubeconfig, ...flags],
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

  /** Runs kubectl to its end: resolves with its exit code and output. */
  async run(args, { input, seconds = 20, env } = {}) {
    const made = this.begin(args, { env });
    made.child.stdin.end(input);
    const timer = setTimeout(() => made.kill('SIGKILL'), seconds * 1000);
    const code = await made.exit;
    clearTimeout(timer);
    this.running.splice(this.running.indexOf(made), 1);
    return { code, stdout: made.stdout, stderr: made.stderr };
  }

  /** Resolves with its output; rejects if it failed. */
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
