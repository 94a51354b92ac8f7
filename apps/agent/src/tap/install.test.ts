import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../testing/harness.js';
import { planInstall, planRemove, stateFile } from './install.js';
import { tapUnits } from './units.js';

const options = {
  program: '/usr/local/bin/syncloop',
  listen: '/run/syncloop/tap.sock',
  evidence: '/run/syncloop/evidence.sock',
};
const CONFIG = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
# containerd's
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock  # as installed
staticPodPath: /etc/kubernetes/manifests
`;
const ENV = 'KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=unix:///run/crio/crio.sock --node-ip=10.0.0.1"\n';

async function machine(files: Readonly<Record<string, string>>, systemd = true) {
  const root = await tempFolder();
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  if (systemd) mkdirSync(join(root, 'run/systemd/system'), { recursive: true });
  const ran: string[] = [];
  return {
    root,
    ran,
    put,
    run: (command: string, args: readonly string[]) => void ran.push([command, ...args].join(' ')),
    ask: async (path: string) => void ran.push(`ask ${path}`),
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    has: (path: string) => existsSync(join(root, path)),
  };
}
const apply = async (steps: readonly { apply(): void | Promise<void> }[]) => {
  for (const step of steps) await step.apply();
};

describe('syncloop tap install', () => {
  it('says each change, makes none by itself, and remove takes all of them back', async () => {
    const node = await machine({ '/var/lib/kubelet/config.yaml': CONFIG });
    const { steps, target } = planInstall(node, options);
    expect(target).toBe('/run/containerd/containerd.sock');
    const said = steps.map(({ text }) => text).join('\n');
    expect(said).toContain(`change /var/lib/kubelet/config.yaml:
    - containerRuntimeEndpoint: unix:///run/containerd/containerd.sock  # as installed
    + containerRuntimeEndpoint: unix:///run/syncloop/tap.sock  # as installed`);
    expect(said).toContain('run: systemctl restart kubelet.service');
    expect(said).toContain('ExecStart=/usr/local/bin/syncloop tap --endpoint unix:///run/containerd/containerd.sock');
    expect(node.read('/var/lib/kubelet/config.yaml')).toBe(CONFIG);
    expect(node.has(stateFile)).toBe(false);

    await apply(steps);
    expect(node.read('/var/lib/kubelet/config.yaml')).toBe(
      CONFIG.replace('/run/containerd/containerd.sock', '/run/syncloop/tap.sock'),
    );
    expect(node.read('/etc/systemd/system/syncloop-tap.socket')).toContain('ListenStream=/run/syncloop/tap.sock');
    // The tap is there before the kubelet's configuration changes.
    expect(node.ran).toEqual([
      'systemctl daemon-reload',
      'systemctl enable --now syncloop-tap.socket syncloop-tap.service',
      'ask /run/syncloop/tap.sock',
      'systemctl restart kubelet.service',
    ]);
    expect(() => planInstall(node, options)).toThrow(/installed already.*syncloop tap remove/);

    node.ran.length = 0;
    await apply(planRemove(node));
    expect(node.read('/var/lib/kubelet/config.yaml')).toBe(CONFIG);
    for (const path of [
      stateFile,
      '/etc/systemd/system/syncloop-tap.socket',
      '/etc/systemd/system/syncloop-tap.service',
    ])
      expect(node.has(path)).toBe(false);
    expect(node.ran).toEqual([
      'systemctl restart kubelet.service',
      'systemctl disable --now syncloop-tap.socket syncloop-tap.service',
      'systemctl daemon-reload',
    ]);
  });

  it('changes a flag where there is one, for it goes before the configuration, and keeps the mode of the file', async () => {
    const node = await machine({ '/var/lib/kubelet/config.yaml': CONFIG, '/var/lib/kubelet/kubeadm-flags.env': ENV });
    const mode = statSync(join(node.root, '/var/lib/kubelet/kubeadm-flags.env')).mode;
    await apply(planInstall(node, options).steps);
    expect(node.read('/var/lib/kubelet/config.yaml')).toBe(CONFIG);
    expect(node.read('/var/lib/kubelet/kubeadm-flags.env')).toBe(
      ENV.replace('/run/crio/crio.sock', '/run/syncloop/tap.sock'),
    );
    expect(statSync(join(node.root, '/var/lib/kubelet/kubeadm-flags.env')).mode).toBe(mode);
  });

  it('touches nothing of the kubelet’s where the runtime does not answer through the tap', async () => {
    const node = await machine({ '/var/lib/kubelet/config.yaml': CONFIG });
    const ask = () => Promise.reject(new Error('no connection'));
    await expect(apply(planInstall({ ...node, ask }, options).steps)).rejects.toThrow('no connection');
    expect(node.read('/var/lib/kubelet/config.yaml')).toBe(CONFIG);
    expect(node.ran).not.toContain('systemctl restart kubelet.service');
    // The steps that were done until then are undone.
    await apply(planRemove(node));
    expect(node.read('/var/lib/kubelet/config.yaml')).toBe(CONFIG);
    expect(node.has('/etc/systemd/system/syncloop-tap.service')).toBe(false);
  });

  it('leaves alone what somebody has changed since', async () => {
    const node = await machine({ '/var/lib/kubelet/config.yaml': CONFIG });
    await apply(planInstall(node, options).steps);
    const other = CONFIG.replace('containerd/containerd', 'other/other');
    node.put('/var/lib/kubelet/config.yaml', other);
    const steps = planRemove(node);
    expect(steps[0]?.text).toMatch(/does not name .* any more: it stays as it is/);
    await apply(steps);
    expect(node.read('/var/lib/kubelet/config.yaml')).toBe(other);
  });

  it('says what is missing', async () => {
    const empty = await machine({});
    expect(() => planInstall(empty, options)).toThrow(/none of the usual files .* --file/);
    expect(() => planRemove(empty)).toThrow(/no tap is installed here/);
    const tcp = await machine({ '/k.yaml': 'containerRuntimeEndpoint: tcp://1.2.3.4:5\n' });
    expect(() => planInstall(tcp, { ...options, file: '/k.yaml' })).toThrow(/only unix sockets/);
    const two = await machine({ '/k.env': `${ENV}${ENV.replace('crio', 'other')}` });
    expect(() => planInstall(two, { ...options, file: '/k.env' })).toThrow(/2 endpoints/);
  });

  it('works without systemd, where it says what to keep running', async () => {
    const node = await machine({ '/k.json': '{"containerRuntimeEndpoint": "unix:///run/x.sock"}' }, false);
    const { steps } = planInstall(node, { ...options, file: '/k.json' });
    await apply(steps);
    expect(node.read('/k.json')).toBe('{"containerRuntimeEndpoint": "unix:///run/syncloop/tap.sock"}');
    expect(node.ran).toEqual([]);
    expect(steps[1]?.text).toContain(
      'syncloop tap --endpoint unix:///run/x.sock --listen unix:///run/syncloop/tap.sock',
    );
    await apply(planRemove(node));
    expect(node.read('/k.json')).toBe('{"containerRuntimeEndpoint": "unix:///run/x.sock"}');
  });

  it('writes the units of deploy/systemd', () => {
    const deploy = (name: string) =>
      readFileSync(new URL(`../../../../deploy/systemd/${name}`, import.meta.url), 'utf8');
    const units = tapUnits({ ...options, target: '/run/containerd/containerd.sock' });
    expect(deploy('syncloop-tap.socket')).toBe(units.socket);
    expect(deploy('syncloop-tap.service')).toBe(units.service);
  });
});
