import type { ContainerConfig, LinuxContainerSecurityContext } from '../../cri/index.js';
import { background, type Go } from '../../kernel/index.js';
import type { Contract, ContractCase, SandboxHandle } from './contract.js';
import { idle, script } from './scripts.js';

const own = { pid: 'CONTAINER' as const };
const secured = (security: LinuxContainerSecurityContext): Partial<ContainerConfig> => ({
  linux: { securityContext: { namespaceOptions: own, ...security } },
});

/** Starts one container after the other, each with a security context, and asks each with a command. */
function* ask(
  c: Contract,
  sandbox: SandboxHandle,
  command: readonly string[],
  contexts: readonly LinuxContainerSecurityContext[],
): Go<{ code: number; out: string; err: string }[]> {
  const answers: { code: number; out: string; err: string }[] = [];
  for (const [attempt, security] of contexts.entries()) {
    const more = { metadata: { name: 'app', attempt }, ...secured(security) };
    answers.push(yield* c.exec(yield* c.start(sandbox, idle, more), ...command));
  }
  return answers;
}

/** Cases of critest on the privileges of a container's processes. upstream: cri-tools pkg/validate */
export const privilegeCases: readonly ContractCase[] = [
  {
    name: 'capabilities are the default ones, those added and those dropped',
    *run(c) {
      const status = script("grep '^CapBnd' /proc/self/status");
      const [usual, none, raw] = yield* ask(c, yield* c.sandbox(), status, [
        {},
        { capabilities: { dropCapabilities: ['ALL'] } },
        { capabilities: { dropCapabilities: ['ALL'], addCapabilities: ['NET_RAW'] } },
      ]);
      c.same(usual?.out, 'CapBnd:\t00000000a80425fb\n', 'the default ones');
      c.same(none?.out, 'CapBnd:\t0000000000000000\n', 'without any');
      c.same(raw?.out, 'CapBnd:\t0000000000002000\n', 'with one');
    },
  },
  {
    name: 'whoever may not make raw sockets cannot ping',
    *run(c) {
      const ping = ['ping', '-c', '1', '127.0.0.1'];
      const [dropped] = yield* ask(c, yield* c.sandbox(), ping, [{ capabilities: { dropCapabilities: ['NET_RAW'] } }]);
      c.insist(dropped?.code !== 0, 'it must fail');
      c.insist(dropped?.err.includes('permission denied') ?? false, `want permission denied, got "${dropped?.err}"`);
    },
  },
  {
    name: 'a host name is set by those who may administer the system',
    *run(c) {
      const set = script('hostname other && hostname');
      const [denied, allowed] = yield* ask(c, yield* c.sandbox(), set, [
        {},
        { capabilities: { addCapabilities: ['SYS_ADMIN'] } },
      ]);
      c.same(denied?.err, 'hostname: sethostname: Operation not permitted\n', 'the error that the others get');
      c.same(allowed?.out, 'other\n', 'the name');
    },
  },
  {
    name: 'seccomp filters as the profile says, and not without one',
    *run(c) {
      const status = script("grep '^Seccomp:' /proc/self/status");
      const [without, unconfined, usual] = yield* ask(c, yield* c.sandbox(), status, [
        {},
        { seccomp: { profileType: 'Unconfined' } },
        { seccomp: {} },
      ]);
      c.same([without?.out, unconfined?.out], ['Seccomp:\t0\n', 'Seccomp:\t0\n'], 'without a filter');
      c.same(usual?.out, 'Seccomp:\t2\n', "with the runtime's own");
    },
  },
  {
    name: 'no new privileges, where that is asked for',
    *run(c) {
      const status = script("grep '^NoNewPrivs' /proc/self/status");
      const [usual, none] = yield* ask(c, yield* c.sandbox(), status, [{}, { noNewPrivs: true }]);
      c.same([usual?.out, none?.out], ['NoNewPrivs:\t0\n', 'NoNewPrivs:\t1\n'], 'the flag');
    },
  },
  {
    name: 'read-only paths cannot be written, and others can',
    *run(c) {
      const touch = ['touch', '/tmp/test'];
      const [closed, open] = yield* ask(c, yield* c.sandbox(), touch, [{ readonlyPaths: ['/tmp'] }, {}]);
      c.same(closed?.err, 'touch: /tmp/test: Read-only file system\n', 'what is said');
      c.same(open?.code, 0, 'its code elsewhere');
    },
  },
  {
    name: 'a masked file is empty, and no program any more',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const more = secured({ maskedPaths: ['/etc/passwd', '/nowhere/at/all'] });
      const id = yield* c.start(sandbox, idle, more);
      c.same((yield* c.exec(id, 'cat', '/etc/passwd')).out, '', 'what it holds');
    },
  },
  {
    name: 'the first process is the own one, or the one that the pod shares',
    *run(c) {
      const sandbox = yield* c.sandbox({
        ...c.sandboxConfig(),
        linux: { securityContext: { namespaceOptions: { pid: 'POD' } } },
      });
      // Until it is the container's program it is what starts that.
      const first = script(
        "while grep -q runc /proc/1/cmdline; do sleep 0.05; done; cat /proc/1/cmdline | tr '\\0' ' '",
      );
      const [alone, shared] = yield* ask(c, sandbox, first, [
        { namespaceOptions: { pid: 'CONTAINER' } },
        { namespaceOptions: { pid: 'POD' } },
      ]);
      c.same(alone?.out, 'sleep 3600 ', 'of a namespace of its own');
      c.insist(shared?.out !== '' && shared?.out !== alone?.out, `want the pod's own, got "${shared?.out}"`);
    },
  },
  {
    name: 'a command that took too long has left nothing behind',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), script('while true; do read -t 1 < /dev/null; done'));
      const call = c.s.execSync(background, { containerId: id, cmd: ['sleep', '4321'], timeout: '1' });
      yield* c.fails(call, ['DeadlineExceeded', 'Unknown', 'Canceled']);
      c.same((yield* c.exec(id, 'sh', '-c', 'pgrep sleep || true')).out, '', 'processes called sleep');
    },
  },
  {
    name: 'top shows the processes, and ends when it is stopped',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), ['top']);
      c.insist((yield* c.exec(id, 'top', '-b', '-n', '1')).out.includes('PID'), 'its table has a head');
      yield* c.s.stopContainer(background, { containerId: id, timeout: '10' });
      c.same((yield* c.status(id)).exitCode, 143, 'its exit code');
    },
  },
  {
    name: 'a pod has the kernel parameters that it asks for',
    *run(c) {
      const sandbox = yield* c.sandbox({
        ...c.sandboxConfig(),
        linux: { sysctls: { 'net.ipv4.ip_unprivileged_port_start': '1000' } },
      });
      const id = yield* c.start(sandbox, idle);
      const { out } = yield* c.exec(id, 'cat', '/proc/sys/net/ipv4/ip_unprivileged_port_start');
      c.same(out, '1000\n', 'the parameter');
    },
  },
];
