import { containerState, int64, namespaceMode, sandboxState } from '../../cri/index.js';
import { background, type Go } from '../../kernel/index.js';
import type { ContractCase } from './contract.js';
import { idle, loop, missing } from './scripts.js';

/** Sandboxes: their life, their names, what their status shows. */
export const sandboxCases: readonly ContractCase[] = [
  {
    name: 'runs, stops and goes; stopping and removing twice is fine',
    *run(c) {
      const { id, config } = yield* c.sandbox();
      c.insist(/^[0-9a-f]{64}$/.test(id), 'an id is 64 hex digits');
      const s = yield* c.sandboxStatus(id);
      c.same(
        [s.id, sandboxState(s), s.metadata, s.annotations],
        [id, 'SANDBOX_READY', config.metadata, config.annotations],
        'status',
      );
      c.insist(/^\d+\.\d+\.\d+\.\d+$/.test(s.network?.ip ?? ''), 'a ready sandbox has an IP');
      c.insist(int64(s.createdAt) > 0n, 'createdAt is set');
      for (let i = 0; i < 2; i++) yield* c.s.stopPodSandbox(background, { podSandboxId: id });
      const stopped = yield* c.sandboxStatus(id);
      c.same(
        [sandboxState(stopped), stopped.network ?? {}, stopped.createdAt],
        ['SANDBOX_NOTREADY', {}, s.createdAt],
        'after StopPodSandbox',
      );
      for (let i = 0; i < 2; i++) yield* c.s.removePodSandbox(background, { podSandboxId: id });
      yield* c.fails(c.s.podSandboxStatus(background, { podSandboxId: id }), 'NotFound');
    },
  },
  {
    name: 'a name is reserved until the sandbox is removed',
    *run(c) {
      const { id, config } = yield* c.sandbox();
      const { name, namespace, uid } = config.metadata ?? {};
      const text = yield* c.fails(c.s.runPodSandbox(background, { config }), 'Unknown', 'is reserved for');
      c.same(
        text,
        `failed to reserve sandbox name "${name}_${namespace}_${uid}_0": name "${name}_${namespace}_${uid}_0" is reserved for "${id}"`,
        'the text',
      );
      const second = yield* c.sandbox({ ...config, metadata: { ...config.metadata, attempt: 1 } });
      c.insist(second.id !== id, 'another attempt is another sandbox');
      c.same((yield* c.sandboxStatus(second.id)).metadata?.attempt, 1, 'attempt');
      yield* c.s.stopPodSandbox(background, { podSandboxId: id });
      yield* c.fails(c.s.runPodSandbox(background, { config }), 'Unknown', 'is reserved for');
      yield* c.s.removePodSandbox(background, { podSandboxId: id });
      yield* c.sandbox(config);
    },
  },
  {
    name: 'StopPodSandbox and RemovePodSandbox of what does not exist succeed',
    *run(c) {
      yield* c.s.removePodSandbox(background, { podSandboxId: missing });
      yield* c.idempotent(c.s.stopPodSandbox(background, { podSandboxId: missing }));
    },
  },
  {
    name: 'PodSandboxStatus of what does not exist: NotFound',
    *run(c) {
      const text = yield* c.fails(c.s.podSandboxStatus(background, { podSandboxId: missing }), 'NotFound');
      c.same(text, 'an error occurred when try to find sandbox: not found', 'the text');
    },
  },
  {
    name: 'RunPodSandbox wants metadata',
    *run(c) {
      const { metadata: _, ...config } = c.sandboxConfig();
      const text = yield* c.fails(c.s.runPodSandbox(background, { config }), 'Unknown');
      c.same(text, 'sandbox config must include metadata', 'the text');
    },
  },
  {
    name: 'RunPodSandbox with an unknown handler fails and leaves nothing behind',
    *run(c) {
      const config = c.sandboxConfig();
      const text = yield* c.fails(c.s.runPodSandbox(background, { config, runtimeHandler: 'nosuch' }), 'Unknown');
      c.insist(text.includes('no runtime for "nosuch" is configured'), `the error names the handler: ${text}`);
      const uid = config.metadata?.uid ?? '';
      const { items = [] } = yield* c.s.listPodSandbox(background, {
        filter: { labelSelector: { 'io.kubernetes.pod.uid': uid } },
      });
      c.same(items, [], 'sandboxes of the pod');
      yield* c.sandbox(config);
    },
  },
  {
    name: 'RunPodSandbox with a handler: status and list report it',
    *run(c) {
      const { id } = yield* c.sandbox(c.sandboxConfig(), 'runc');
      c.same((yield* c.sandboxStatus(id)).runtimeHandler, 'runc', 'status');
      const { items = [] } = yield* c.s.listPodSandbox(background, { filter: { id } });
      c.same(
        items.map((i) => i.runtimeHandler),
        ['runc'],
        'list',
      );
    },
  },
  {
    name: 'RemovePodSandbox of a ready sandbox stops it first, with its containers',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const running = yield* c.start(sandbox, loop);
      const created = yield* c.create(sandbox, loop, { metadata: { name: 'other' } });
      yield* c.s.removePodSandbox(background, { podSandboxId: sandbox.id });
      yield* c.fails(c.s.podSandboxStatus(background, { podSandboxId: sandbox.id }), 'NotFound');
      for (const containerId of [running, created])
        yield* c.fails(c.s.containerStatus(background, { containerId }), 'NotFound');
    },
  },
  {
    name: 'StopPodSandbox kills what runs in it and keeps it',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const running = yield* c.start(sandbox, loop);
      const created = yield* c.create(sandbox, loop, { metadata: { name: 'other' } });
      yield* c.s.stopPodSandbox(background, { podSandboxId: sandbox.id });
      const s = yield* c.status(running);
      c.same([containerState(s), s.exitCode, s.reason], ['CONTAINER_EXITED', 137, 'Error'], 'one that ran');
      c.same(containerState(yield* c.status(created)), 'CONTAINER_CREATED', 'one that was only created');
    },
  },
  {
    name: 'nothing starts in a stopped sandbox',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, loop);
      yield* c.s.stopPodSandbox(background, { podSandboxId: sandbox.id });
      const text = yield* c.fails(c.s.startContainer(background, { containerId: id }), 'Unknown');
      c.same(text, `sandbox container "${sandbox.id}" is not running`, 'the text');
      const s = yield* c.status(id);
      c.same([containerState(s), s.exitCode, s.reason], ['CONTAINER_EXITED', 128, 'StartError'], 'status');
    },
  },
  {
    name: 'CreateContainer in a stopped sandbox: refused, or what it makes cannot be started',
    *run(c) {
      const sandbox = yield* c.sandbox();
      yield* c.s.stopPodSandbox(background, { podSandboxId: sandbox.id });
      const [made] = yield* c.atOnce([() => c.create(sandbox, loop)]);
      if (made instanceof Error) {
        c.insist(made.message.includes('no running task found'), `why it is refused: ${made.message}`);
        return;
      }
      yield* c.fails(c.s.startContainer(background, { containerId: made ?? '' }), 'Unknown', 'is not running');
    },
  },
  {
    name: 'it is not ready once its own process has ended; what shared its PID namespace has ended, too',
    *run(c) {
      const shared = { securityContext: { namespaceOptions: {} } };
      const sandbox = yield* c.sandbox({ ...c.sandboxConfig(), linux: shared });
      const id = yield* c.start(sandbox, idle, { linux: shared });
      const { ip } = (yield* c.sandboxStatus(sandbox.id)).network ?? {};
      // The call itself may fail: what runs it ends as well.
      yield* c.atOnce([() => c.exec(id, 'kill', '-TERM', '1')]);
      yield* c.eventually('it is not ready', function* () {
        return sandboxState(yield* c.sandboxStatus(sandbox.id)) === 'SANDBOX_NOTREADY';
      });
      const s = yield* c.exited(id);
      c.same([s.exitCode, s.reason], [137, 'Error'], 'its container');
      c.same((yield* c.sandboxStatus(sandbox.id)).network?.ip, ip, 'its IP, until it is stopped');
    },
  },
  {
    name: 'labels and annotations come back as they were',
    *run(c) {
      const labels = { plain: 'a', empty: '', 'example.com/with.dots': 'x', 'ünïcode-标签': '值 🦊' };
      const annotations = { text: 'line one\nline two\t"quoted"', big: 'y'.repeat(20_000), 标注: '中文' };
      const config = c.sandboxConfig();
      const { id } = yield* c.sandbox({ ...config, labels: { ...config.labels, ...labels }, annotations });
      const s = yield* c.sandboxStatus(id);
      c.sameMap(s.labels, { ...config.labels, ...labels }, 'labels');
      c.sameMap(s.annotations, annotations, 'annotations');
      const { items = [] } = yield* c.s.listPodSandbox(background, { filter: { id } });
      c.sameMap(items[0]?.labels, { ...config.labels, ...labels }, 'labels in the list');
      c.sameMap(items[0]?.annotations, annotations, 'annotations in the list');
    },
  },
  {
    name: 'list and status agree',
    *run(c) {
      const { id } = yield* c.sandbox();
      const s = yield* c.sandboxStatus(id);
      const { items = [] } = yield* c.s.listPodSandbox(background, { filter: { id } });
      const [item] = items;
      c.same(
        [item?.id, item?.metadata, sandboxState(item ?? {}), item?.createdAt],
        [s.id, s.metadata, sandboxState(s), s.createdAt],
        'the item',
      );
    },
  },
  {
    name: 'namespaces: those asked for',
    *run(c) {
      const config = c.sandboxConfig();
      const withModes = (namespaceOptions: object) => ({ ...config, linux: { securityContext: { namespaceOptions } } });
      const modes = function* (id: string) {
        const o = (yield* c.sandboxStatus(id)).linux?.namespaces?.options;
        return [namespaceMode(o?.network), namespaceMode(o?.pid), namespaceMode(o?.ipc)];
      };
      const own = yield* c.sandbox(withModes({ pid: 'CONTAINER' }));
      c.same(yield* modes(own.id), ['POD', 'CONTAINER', 'POD'], 'pid CONTAINER');
      yield* c.s.removePodSandbox(background, { podSandboxId: own.id });
      const shared = yield* c.sandbox(withModes({}));
      c.same(yield* modes(shared.id), ['POD', 'POD', 'POD'], 'all of the pod');
    },
  },
  {
    name: "on the host's network: no IP of its own, and the node's host name",
    *run(c) {
      const { hostname: _, ...config } = c.sandboxConfig();
      const host = yield* c.sandbox({
        ...config,
        linux: { securityContext: { namespaceOptions: { network: 'NODE', pid: 'CONTAINER' } } },
      });
      const s = yield* c.sandboxStatus(host.id);
      c.same(
        [s.network?.ip ?? '', s.linux?.namespaces?.options?.network, sandboxState(s)],
        ['', 'NODE', 'SANDBOX_READY'],
        'status',
      );
      const id = yield* c.start(host, idle, {
        linux: { securityContext: { namespaceOptions: { network: 'NODE', pid: 'CONTAINER' } } },
      });
      const { out } = yield* c.exec(id, 'hostname');
      c.insist(out.trim() !== '' && out.trim() !== host.config.metadata?.name, `the host's name, got ${out}`);
      const { out: file } = yield* c.exec(id, 'cat', '/etc/hostname');
      c.same(file.trim(), out.trim(), '/etc/hostname');
    },
  },
  {
    name: 'each has an IP of its own, and it serves there',
    *run(c) {
      const [a, b] = [yield* c.sandbox(), yield* c.sandbox()];
      const ip = (yield* c.sandboxStatus(a.id)).network?.ip ?? '';
      c.insist(ip !== (yield* c.sandboxStatus(b.id)).network?.ip, 'IPs differ');
      const server = yield* c.start(a, [
        'sh',
        '-c',
        'mkdir /www; echo served > /www/page; exec httpd -f -p 8080 -h /www',
      ]);
      const neighbour = yield* c.start(a, idle, { metadata: { name: 'neighbour' } });
      const other = yield* c.start(b, idle);
      yield* c.eventually('it serves', function* () {
        return (yield* c.exec(server, 'wget', '-q', '-O', '-', `http://${ip}:8080/page`)).code === 0;
      });
      const get = function* (id: string, host: string) {
        return (yield* c.exec(id, 'wget', '-q', '-O', '-', `http://${host}:8080/page`)).out;
      };
      c.same(yield* get(other, ip), 'served\n', 'from another sandbox');
      c.same(yield* get(neighbour, '127.0.0.1'), 'served\n', 'from the same sandbox, on localhost');
      c.insist(
        (yield* c.exec(other, 'wget', '-q', '-O', '-', 'http://127.0.0.1:8080/page')).code !== 0,
        'localhost is per sandbox',
      );
      yield* c.s.stopPodSandbox(background, { podSandboxId: a.id });
      c.same((yield* c.sandboxStatus(a.id)).network?.ip ?? '', '', 'the IP of a stopped sandbox');
    },
  },
  {
    name: 'DNS configuration becomes /etc/resolv.conf',
    *run(c) {
      const sandbox = yield* c.sandbox({
        ...c.sandboxConfig(),
        dnsConfig: {
          servers: ['10.0.0.10', '10.0.0.11'],
          searches: ['ns.svc.example', 'svc.example'],
          options: ['ndots:5'],
        },
      });
      const id = yield* c.start(sandbox, idle);
      c.same(
        yield* c.read(id, '/etc/resolv.conf'),
        'search ns.svc.example svc.example\nnameserver 10.0.0.10\nnameserver 10.0.0.11\noptions ndots:5\n',
        'the file',
      );
    },
  },
  {
    name: 'verbose status: info about the process',
    *run(c) {
      const { id } = yield* c.sandbox();
      const { info } = yield* c.s.podSandboxStatus(background, { podSandboxId: id, verbose: true });
      const parsed = JSON.parse(info?.info ?? '{}') as { pid?: number };
      c.insist((parsed.pid ?? 0) > 0, 'it has the pid');
      c.same((yield* c.s.podSandboxStatus(background, { podSandboxId: id })).info ?? {}, {}, 'info when not verbose');
    },
  },
  {
    name: 'no id at all',
    *run(c) {
      const of = function* (call: Go<unknown>) {
        return yield* c.fails(call, 'Unknown');
      };
      const text = `an error occurred when try to find sandbox "": Prefix can't be empty`;
      c.same(yield* of(c.s.stopPodSandbox(background, {})), text, 'StopPodSandbox');
      c.same(yield* of(c.s.removePodSandbox(background, {})), text, 'RemovePodSandbox');
      c.same(yield* of(c.s.podSandboxStatus(background, {})), text.replace(' ""', ''), 'PodSandboxStatus');
    },
  },
  {
    name: 'an id may be shortened',
    *run(c) {
      const { id } = yield* c.sandbox();
      c.same((yield* c.sandboxStatus(id.slice(0, 13))).id, id, 'PodSandboxStatus');
      yield* c.s.stopPodSandbox(background, { podSandboxId: id.slice(0, 13) });
      c.same(sandboxState(yield* c.sandboxStatus(id)), 'SANDBOX_NOTREADY', 'after StopPodSandbox');
    },
  },
];
