import { describe, expect, it } from 'vitest';
import type { ContainerConfig, LinuxContainerSecurityContext, NamespaceOption } from '../../cri/index.js';
import { background } from '../../kernel/index.js';
import { Bench, loop } from '../testing/runtime.js';

const own = { pid: 'CONTAINER' as const };
const secured = (security: LinuxContainerSecurityContext, more: Partial<ContainerConfig> = {}) => ({
  ...more,
  linux: { securityContext: { namespaceOptions: own, ...security } },
});
let pods = 0;
/** Returns the output of a command in a running container, or else the error's text. */
function told(b: Bench, security: LinuxContainerSecurityContext, ...command: string[]): string {
  const name = `p${pods++}`;
  b.do(() => b.pod(name, loop, secured(security)), 30);
  const { exitCode, stdout, stderr } = b.do(() => b.mock.exec(`${name}-node1`, 'app', command));
  return exitCode === 0 ? stdout : stderr;
}
const logs = (b: Bench, image: string, config: Partial<ContainerConfig>): string => {
  const name = `p${pods++}`;
  b.do(() => b.s.pullImage(background, { image: { image } }), 60);
  b.do(() => b.pod(name, [], { image: { image }, ...config }), 30);
  b.seconds(2);
  return b.mock.logs(`${name}-node1`, 'app');
};

describe('what a container may do, on the mock', () => {
  it('is less by what its own seccomp profile refuses, unless it is privileged', () => {
    const b = new Bench();
    const profile = (names: string[]) =>
      JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW', syscalls: [{ names, action: 'SCMP_ACT_ERRNO' }] });
    b.mock.fs.writeFileSync('/profiles/chmod.json', profile(['chmod', 'fchmodat']));
    b.mock.fs.writeFileSync('/profiles/name.json', profile(['sethostname']));
    b.mock.fs.writeFileSync('/profiles/none.json', '{');
    const by = (file: string) => ({ profileType: 'Localhost' as const, localhostRef: `/profiles/${file}.json` });
    expect(told(b, { seccomp: by('chmod') }, 'chmod', '400', '/')).toBe('chmod: /: Operation not permitted\n');
    expect(told(b, {}, 'chmod', '400', '/')).toBe('');
    const admin = { capabilities: { addCapabilities: ['SYS_ADMIN'] } };
    const rename = ['sh', '-c', 'hostname new && hostname'];
    expect(told(b, { ...admin, seccomp: by('name') }, ...rename)).toMatch(/sethostname: Operation not permitted/);
    expect(told(b, { ...admin, seccomp: by('chmod') }, ...rename)).toBe('new\n');
    expect(told(b, { privileged: true, seccomp: by('name') }, ...rename)).toBe('new\n');
    expect(b.failure(b.pod('bad', loop, secured({ seccomp: by('none') })))).toMatch(
      /cannot load seccomp profile "\/profiles\/none.json": decoding seccomp profile failed: /,
    );
    expect(b.failure(b.pod('gone', loop, secured({ seccomp: by('absent') })))).toMatch(/no such file or directory/);
  });

  it('has every capability where it is privileged', () => {
    const b = new Bench();
    const bridge = ['brctl', 'addbr', 'foobar'];
    expect(told(b, {}, ...bridge)).toBe('brctl: bridge foobar: Operation not permitted\n');
    expect(told(b, { privileged: true }, ...bridge)).toBe('');
    expect(told(b, { capabilities: { addCapabilities: ['NET_ADMIN'] } }, ...bridge)).toBe('');
    expect(told(b, { privileged: true }, 'grep', 'CapEff', '/proc/self/status')).toBe('CapEff:\t000001ffffffffff\n');
    expect(told(b, { runAsUser: { value: '1000' } }, 'grep', 'CapEff', '/proc/self/status')).toBe(
      'CapEff:\t0000000000000000\n',
    );
  });

  it('finds no program where a masked path lies over it', () => {
    const b = new Bench();
    const masked = { maskedPaths: ['/bin/ls', '/proc/kcore', '/etc'] };
    expect(told(b, masked, '/bin/sh', '-c', 'ls')).toBe('/bin/sh: ls: Permission denied\n');
    expect(told(b, masked, 'sh', '-c', 'test -e /etc/passwd || echo gone')).toBe('gone\n');
    expect(told(b, {}, 'sh', '-c', 'ls /etc | grep -c passwd')).toBe('1\n');
  });

  it('runs programs of others as their owner, unless no new privileges are to be had', () => {
    const b = new Bench();
    const image = 'registry.k8s.io/e2e-test-images/nonewprivs:1.3';
    const user = { runAsUser: { value: '1000' } };
    expect(logs(b, image, secured({ ...user, noNewPrivs: true }))).toMatch(/Effective uid: 1000\n/);
    expect(logs(b, image, secured(user))).toMatch(/Effective uid: 0\n/);
  });

  it("belongs to its user's groups of the image, unless the policy is strict", () => {
    const b = new Bench();
    const image = 'gcr.io/k8s-staging-cri-tools/test-image-predefined-group';
    const asked = { runAsUser: { value: '1000' }, supplementalGroups: ['1234'] };
    const command = { command: ['id', '-G'] };
    expect(logs(b, image, secured(asked, command))).toMatch(/stdout F 1000 1234 50000\n/);
    expect(logs(b, image, secured({ ...asked, supplementalGroupsPolicy: 'Strict' }, command))).toMatch(/F 1000 1234\n/);
  });

  it('cannot have a recursive read-only mount that is none, or that is propagated', () => {
    const b = new Bench();
    const mount = { hostPath: '/data', containerPath: '/mnt', recursiveReadOnly: true };
    const problem = (more: object) => b.failure(b.pod(`m${pods++}`, loop, { mounts: [{ ...mount, ...more }] }));
    expect(problem({})).toMatch(/recursive read-only mount needs readonly/);
    expect(problem({ readonly: true, propagation: 'PROPAGATION_BIDIRECTIONAL' })).toMatch(/needs private propagation/);
    expect(problem({ readonly: true })).toBe('succeeded');
  });
});

describe('namespaces of a pod, on the mock', () => {
  const sandbox = (b: Bench, name: string, namespaceOptions: NamespaceOption) =>
    b.s.runPodSandbox(background, {
      config: b.sandboxConfig(name, { linux: { securityContext: { namespaceOptions } } }),
    });

  it('has ids of its own, of one range that has its root', () => {
    const b = new Bench();
    const range = { containerId: 0, hostId: 1000, length: 100_000 };
    const users = (uids: object[], mode?: 'CONTAINER' | 'TARGET' | 'NODE') => ({
      usernsOptions: { ...(mode && { mode }), uids, gids: uids },
    });
    for (const [options, why] of [
      [users([range, { ...range, containerId: 100_000 }]), 'only one mapping line supported, got 2 mapping lines'],
      [users([{ ...range, containerId: 1 }]), 'container ID 0 is not mapped'],
      [users([{ ...range, length: 0 }]), 'invalid mapping length: 0'],
      [users([]), 'without UID and GID mappings'],
      [users([], 'CONTAINER'), 'unsupported user namespace mode: "CONTAINER"'],
      [users([], 'TARGET'), 'unsupported user namespace mode: "TARGET"'],
    ] as const)
      expect(b.failure(sandbox(b, 'users', options))).toContain(why);
    b.do(() => sandbox(b, 'node', users([], 'NODE')));
    const { podSandboxId = '' } = b.do(() => sandbox(b, 'users', users([range])));
    const config = { metadata: { name: 'app' }, image: { image: 'localhost/busybox:dev' }, command: loop };
    const { containerId = '' } = b.do(() => b.s.createContainer(background, { podSandboxId, config }));
    b.do(() => b.s.startContainer(background, { containerId }));
    const map = b.do(() => b.mock.exec('users-node1', 'app', ['cat', '/proc/self/uid_map'])).stdout;
    expect(map).toBe('         0       1000     100000\n');
  });

  it("sees the processes of other pods in the node's PID namespace", () => {
    const b = new Bench();
    const onNode = { linux: { securityContext: { namespaceOptions: { pid: 'NODE' as const } } } };
    b.do(() => b.s.pullImage(background, { image: { image: 'nginx' } }), 60);
    b.do(() => b.pod('web', [], { image: { image: 'nginx' }, ...onNode }), 30);
    b.do(() => b.pod('look', loop, onNode), 30);
    b.do(() => b.pod('other', loop), 30);
    b.seconds(1);
    const pid = b.do(() => b.mock.exec('web-node1', 'app', ['cat', '/var/run/nginx.pid'])).stdout;
    expect(Number(pid)).toBeGreaterThan(1);
    expect(b.do(() => b.mock.exec('look-node1', 'app', ['pidof', 'nginx'])).stdout).toBe(pid);
    expect(b.do(() => b.mock.exec('look-node1', 'app', ['cat', `/proc/${pid.trim()}/cmdline`])).stdout).toMatch(
      /^nginx: master process nginx/,
    );
    expect(b.do(() => b.mock.exec('other-node1', 'app', ['pidof', 'nginx'])).exitCode).toBe(1);
  });
});

describe('images that tests pull', () => {
  const pull = (b: Bench, image: string) => b.do(() => b.s.pullImage(background, { image: { image } }), 60).imageRef;
  const tags = (b: Bench, image: string) =>
    b.do(() => b.s.imageStatus(background, { image: { image } })).image?.repoTags;

  it('are one image by several tags, or several, as upstream has them', () => {
    const b = new Bench();
    const at = 'gcr.io/k8s-staging-cri-tools/';
    expect(new Set([1, 2, 3].map((n) => pull(b, `${at}test-image-tags:${n}`))).size).toBe(1);
    expect(tags(b, `${at}test-image-tags:2`)).toHaveLength(3);
    expect(new Set([1, 2, 3].map((n) => pull(b, `${at}test-image-${n}`))).size).toBe(3);
    const digest = `sha256:${'97'.repeat(32)}`;
    pull(b, `${at}test-image-digest@${digest}`);
    const status = b.do(() => b.s.imageStatus(background, { image: { image: `${at}test-image-digest@${digest}` } }));
    expect(status.image).toMatchObject({ repoDigests: [`${at}test-image-digest@${digest}`] });
    expect(b.failure(b.s.pullImage(background, { image: { image: `${at}test-image-none` } }))).toMatch(/not found/);
  });

  it('are the same from the registry of old', () => {
    const b = new Bench();
    expect(pull(b, 'k8s.gcr.io/pause:3.9')).toBe(pull(b, 'registry.k8s.io/pause:3.9'));
    expect(tags(b, 'k8s.gcr.io/pause:3.9')).toEqual(['k8s.gcr.io/pause:3.9', 'registry.k8s.io/pause:3.9']);
  });
});
