import { base64Encode } from '../../base/index.js';
import { background } from '../../kernel/index.js';
import type { ContractCase } from './contract.js';
import { idle, loop, script } from './scripts.js';

const env = (key: string, value: string) => ({ key, value: base64Encode(value) });

/** Cases on the configuration of a container: commands, environment, users, mounts, resources. */
export const settingCases: readonly ContractCase[] = [
  {
    name: 'environment, working folder and arguments',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const more = { envs: [env('GREETING', 'hello')], workingDir: '/tmp', args: ['first', 'second'] };
      const id = yield* c.start(sandbox, ['sh', '-c', 'echo "$GREETING $(pwd) $0 $1" > /tmp/seen; sleep 1000'], more);
      const seen = yield* c.exec(
        id,
        'sh',
        '-c',
        'while ! [ -s /tmp/seen ]; do sleep 0.1; done; cat /tmp/seen; hostname',
      );
      c.same(seen.out, `hello /tmp first second\n${sandbox.config.hostname}\n`, 'what it saw');
    },
  },
  {
    name: 'values of environment variables are kept as they are',
    *run(c) {
      const values: Record<string, string> = {
        EMPTY: '',
        SPACES: '  two  ',
        LINES: 'one\ntwo\n',
        SIGNS: 'a=b=c $HOME "q" \'s\' \\n',
        WORLD: '世界 🦊',
        LARGE: 'x'.repeat(60_000),
      };
      const many = Array.from({ length: 200 }, (_, i) => env(`MANY_${i}`, String(i)));
      const envs = [...Object.entries(values).map(([k, v]) => env(k, v)), ...many];
      const id = yield* c.start(yield* c.sandbox(), idle, { envs });
      for (const [k, v] of Object.entries(values))
        c.same((yield* c.exec(id, 'sh', '-c', `printf '%s' "$${k}"`)).out, v, k);
      c.same((yield* c.exec(id, 'sh', '-c', 'env | grep -c ^MANY_')).out, '200\n', 'how many there are');
    },
  },
  {
    name: 'HOME, HOSTNAME and PATH are there by themselves',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, idle);
      c.same(
        (yield* c.exec(id, 'sh', '-c', 'echo "$HOME $HOSTNAME $PATH"')).out,
        `/root ${sandbox.config.hostname} /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n`,
        'values',
      );
      const own = yield* c.start(sandbox, idle, {
        metadata: { name: 'own' },
        envs: [env('HOME', '/elsewhere'), env('HOSTNAME', 'me')],
      });
      c.same((yield* c.exec(own, 'sh', '-c', 'echo "$HOME $HOSTNAME"')).out, '/elsewhere me\n', 'own values');
    },
  },
  {
    name: "the image's command, arguments, environment, folder and user",
    *run(c) {
      const images = c.subject.images.more ?? c.leaveOut('the images of the suite are not there');
      const image = { image: images.configured };
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      const more = [
        { command: [], args: [] },
        { command: [], args: ['mine'] },
        { command: ['sh', '-c', 'echo "$GREETING $0 $*"'], args: [] },
        { command: ['echo'], args: ['only', 'these'] },
        { command: [], args: [], workingDir: '/tmp', envs: [env('GREETING', 'bye')] },
      ];
      const user = '1234\n2345\n';
      const want = [
        `hello from /var: one two\n${user}`,
        `hello from /var: mine \n${user}`,
        'hello sh \n',
        'only these\n',
        `bye from /tmp: one two\n${user}`,
      ];
      for (const [i, config] of more.entries()) {
        const logPath = `app/${i}.log`;
        yield* c.exited(
          yield* c.start(sandbox, [], { image, ...config, metadata: { name: 'app', attempt: i }, logPath }),
        );
        c.same((yield* c.log(window, logPath)).map((l) => `${l.text}\n`).join(''), want[i], JSON.stringify(config));
      }
    },
  },
  {
    name: 'user and groups',
    *run(c) {
      const security = {
        runAsUser: { value: '1000' },
        runAsGroup: { value: '3000' },
        supplementalGroups: ['4000', '5000'],
      };
      const namespaceOptions = { pid: 'CONTAINER' as const };
      const id = yield* c.start(yield* c.sandbox(), idle, {
        linux: { securityContext: { ...security, namespaceOptions } },
      });
      c.same((yield* c.exec(id, 'sh', '-c', 'id -u; id -g; id -G')).out, '1000\n3000\n3000 4000 5000\n', 'inside');
      c.same((yield* c.exec(id, 'touch', '/etc/mine')).code, 1, 'it may not write what is root’s');
      const { user } = yield* c.status(id);
      c.recent(
        JSON.stringify(user?.linux) === '{"uid":"1000","gid":"3000","supplementalGroups":["3000","4000","5000"]}',
        `ContainerStatus has the user, got ${JSON.stringify(user)}`,
      );
    },
  },
  {
    name: 'users as id shows them',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const namespaceOptions = { pid: 'CONTAINER' as const };
      const table: [object, string][] = [
        [{}, 'uid=0(root) gid=0(root) groups=0(root) /root\n'],
        [{ runAsUser: { value: '65534' } }, 'uid=65534(nobody) gid=65534(nobody) groups=65534(nobody) /\n'],
        [{ runAsUser: { value: '1000' } }, 'uid=1000 gid=0(root) groups=0(root) /\n'],
        [{ runAsUser: { value: '1000' }, runAsGroup: { value: '3000' } }, 'uid=1000 gid=3000 groups=3000 /\n'],
        [
          { runAsUser: {}, runAsGroup: { value: '65534' } },
          'uid=0(root) gid=65534(nobody) groups=65534(nobody) /root\n',
        ],
        [{ supplementalGroups: ['7', '65534'] }, 'uid=0(root) gid=0(root) groups=0(root),7,65534(nobody) /root\n'],
      ];
      for (const [i, [security, want]] of table.entries()) {
        const linux = { securityContext: { ...security, namespaceOptions } };
        const id = yield* c.start(sandbox, idle, { metadata: { name: 'app', attempt: i }, linux });
        c.same((yield* c.exec(id, 'sh', '-c', 'echo "$(id) $HOME"')).out, want, JSON.stringify(security));
      }
    },
  },
  {
    name: 'a group without a user is refused',
    *run(c) {
      const linux = {
        securityContext: { runAsGroup: { value: '3000' }, namespaceOptions: { pid: 'CONTAINER' as const } },
      };
      const text = yield* c.fails(c.create(yield* c.sandbox(), idle, { linux }), 'Unknown');
      c.insist(text.includes('user group "3000" is specified without user'), `the text: ${text}`);
    },
  },
  {
    name: 'a user by name',
    *run(c) {
      const linux = { securityContext: { runAsUsername: 'nobody', namespaceOptions: { pid: 'CONTAINER' as const } } };
      const id = yield* c.start(yield* c.sandbox(), idle, { linux });
      c.same((yield* c.exec(id, 'id', '-u')).out, '65534\n', 'inside');
    },
  },
  {
    name: 'a working folder that is not there is made',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle, { workingDir: '/made/for/it' });
      c.same((yield* c.exec(id, 'pwd')).out, '/made/for/it\n', 'folder');
    },
  },
  {
    name: 'a mounted folder is shared, and outlives the containers',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const hostPath = `${sandbox.config.logDirectory}/shared`;
      const mounts = [{ containerPath: '/shared', hostPath }];
      const writer = yield* c.start(sandbox, script('echo from the first > /shared/file'), { mounts });
      yield* c.exited(writer);
      yield* c.s.removeContainer(background, { containerId: writer });
      const reader = yield* c.start(sandbox, idle, { metadata: { name: 'reader' }, mounts });
      c.same(yield* c.read(reader, '/shared/file'), 'from the first\n', 'what the second sees');
      c.same((yield* c.status(reader)).mounts, mounts, 'mounts in the status');
    },
  },
  {
    name: 'a read-only mount cannot be written',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      yield* c.exec(window, 'sh', '-c', 'mkdir /node/shared; echo kept > /node/shared/file');
      const mounts = [{ containerPath: '/shared', hostPath: `${sandbox.config.logDirectory}/shared`, readonly: true }];
      const id = yield* c.start(sandbox, idle, { mounts });
      const { err, code } = yield* c.exec(id, 'sh', '-c', 'echo x > /shared/file');
      c.same([err, code], ["sh: can't create /shared/file: Read-only file system\n", 1], 'writing');
      c.same(yield* c.read(id, '/shared/file'), 'kept\n', 'reading');
      c.same((yield* c.exec(id, 'rm', '/shared/file')).code, 1, 'removing');
      yield* c.exec(window, 'sh', '-c', 'echo changed > /node/shared/file');
      c.same(yield* c.read(id, '/shared/file'), 'changed\n', 'what others write is seen');
    },
  },
  {
    name: 'a mounted file: the termination message',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      yield* c.exec(window, 'touch', '/node/message');
      const mounts = [{ containerPath: '/dev/termination-log', hostPath: `${sandbox.config.logDirectory}/message` }];
      const id = yield* c.start(sandbox, script('printf "why it failed" > /dev/termination-log; exit 6'), { mounts });
      const s = yield* c.exited(id);
      c.same([s.exitCode, s.message ?? ''], [6, ''], 'status: the message is the kubelet’s to read');
      c.same(yield* c.read(window, '/node/message'), 'why it failed', 'the file on the node');
    },
  },
  {
    name: 'a mount whose source is missing is a new folder',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      const mounts = [{ containerPath: '/data', hostPath: `${sandbox.config.logDirectory}/made/deep` }];
      const id = yield* c.start(sandbox, idle, { mounts });
      c.same((yield* c.exec(id, 'touch', '/data/file')).code, 0, 'writing');
      c.same((yield* c.exec(window, 'ls', '/node/made/deep')).out, 'file\n', 'on the node');
    },
  },
  {
    name: 'mounts inside of mounts',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      yield* c.exec(
        window,
        'sh',
        '-c',
        'mkdir -p /node/outer/in /node/inner; echo o > /node/outer/o; echo i > /node/inner/i',
      );
      const dir = sandbox.config.logDirectory ?? '';
      const mounts = [
        { containerPath: '/m/in', hostPath: `${dir}/inner` },
        { containerPath: '/m', hostPath: `${dir}/outer` },
      ];
      const id = yield* c.start(sandbox, idle, { mounts });
      c.same((yield* c.exec(id, 'sh', '-c', 'cat /m/o /m/in/i; ls /m')).out, 'o\ni\nin\no\n', 'both are there');
    },
  },
  {
    name: 'a read-only root file system',
    *run(c) {
      const linux = { securityContext: { readonlyRootfs: true, namespaceOptions: { pid: 'CONTAINER' as const } } };
      const sandbox = yield* c.sandbox();
      const mounts = [{ containerPath: '/scratch', hostPath: `${sandbox.config.logDirectory}/scratch` }];
      const id = yield* c.start(sandbox, idle, { linux, mounts });
      c.same(
        yield* c.exec(id, 'touch', '/tmp/x'),
        { out: '', err: 'touch: /tmp/x: Read-only file system\n', code: 1 },
        'the root',
      );
      c.same((yield* c.exec(id, 'touch', '/scratch/x')).code, 0, 'a mount');
    },
  },
  {
    name: 'each container has files of its own, and a new one begins anew',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const a = yield* c.start(sandbox, idle);
      const b = yield* c.start(sandbox, idle, { metadata: { name: 'b' } });
      yield* c.exec(a, 'touch', '/tmp/mine');
      c.same((yield* c.exec(b, 'ls', '/tmp')).out, '', "the other's files");
      yield* c.s.removeContainer(background, { containerId: a });
      const again = yield* c.start(sandbox, idle, { metadata: { name: 'app', attempt: 1 } });
      c.same((yield* c.exec(again, 'ls', '/tmp')).out, '', "the next attempt's files");
    },
  },
  {
    name: '/etc/hosts and /etc/hostname are there',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, idle);
      c.same(yield* c.read(id, '/etc/hostname'), `${sandbox.config.hostname}\n`, '/etc/hostname');
      c.insist(/^127\.0\.0\.1\s+localhost/m.test(yield* c.read(id, '/etc/hosts')), '/etc/hosts has localhost');
    },
  },
  {
    name: 'standard input is empty',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      yield* c.exited(yield* c.start(sandbox, script('cat; echo "end $?"')));
      c.same(
        (yield* c.log(window, 'app/0.log')).map((l) => l.text),
        ['end 0'],
        'the log',
      );
    },
  },
  {
    name: 'a terminal: one stream for all output, and input stays open',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      const id = yield* c.start(sandbox, script('echo out; echo err >&2; touch /tmp/ready; cat; touch /tmp/over'), {
        tty: true,
      });
      yield* c.exec(id, 'sh', '-c', 'while ! [ -e /tmp/ready ]; do sleep 0.05; done; sleep 0.3');
      c.same((yield* c.exec(id, 'ls', '/tmp')).out, 'ready\n', 'it still reads');
      yield* c.eventually('the log has it', function* () {
        const lines = yield* c.log(window, 'app/0.log');
        return lines.map(({ stream, tag, text }) => `${stream} ${tag} ${text}`).join() === 'stdout F out,stdout F err';
      });
    },
  },
  {
    name: 'the usual devices are there',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      for (const name of ['null', 'zero', 'full', 'random', 'urandom', 'tty'])
        c.same((yield* c.exec(id, 'test', '-e', `/dev/${name}`)).code, 0, name);
      c.same(
        yield* c.exec(id, 'sh', '-c', 'echo gone > /dev/null; cat /dev/null'),
        { out: '', err: '', code: 0 },
        '/dev/null',
      );
    },
  },
  {
    name: 'standard input stays open if that is asked for',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), script('touch /tmp/ready; cat; touch /tmp/over; sleep 3600'), {
        stdin: true,
      });
      yield* c.exec(id, 'sh', '-c', 'while ! [ -e /tmp/ready ]; do sleep 0.05; done; sleep 0.3');
      c.same((yield* c.exec(id, 'ls', '/tmp')).out, 'ready\n', 'it still reads');
    },
  },
  {
    name: 'resources come back in the status',
    *run(c) {
      const resources = { cpuPeriod: '100000', cpuQuota: '50000', cpuShares: '512', memoryLimitInBytes: '67108864' };
      const linux = { resources, securityContext: { namespaceOptions: { pid: 'CONTAINER' as const } } };
      const id = yield* c.create(yield* c.sandbox(), loop, { linux });
      const got = (yield* c.status(id)).resources?.linux;
      c.recent(got !== undefined, 'ContainerStatus has resources');
      if (!got) return;
      c.same(
        [got.cpuPeriod, got.cpuQuota, got.cpuShares, got.memoryLimitInBytes],
        Object.values(resources),
        'resources',
      );
    },
  },
  {
    name: 'UpdateContainerResources changes what is named',
    *run(c) {
      const resources = { cpuPeriod: '100000', cpuShares: '512', memoryLimitInBytes: '67108864' };
      const linux = { resources, securityContext: { namespaceOptions: { pid: 'CONTAINER' as const } } };
      const id = yield* c.start(yield* c.sandbox(), loop, { linux });
      yield* c.s.updateContainerResources(background, { containerId: id, linux: { cpuShares: '256' } });
      const got = (yield* c.status(id)).resources?.linux;
      c.recent(got !== undefined, 'ContainerStatus has resources');
      if (got)
        c.same([got.cpuPeriod, got.cpuShares, got.memoryLimitInBytes], ['100000', '256', '67108864'], 'resources');
    },
  },
  {
    name: 'UpdateContainerResources: created and exited ones take it, removed ones do not',
    *run(c) {
      const id = yield* c.create(yield* c.sandbox(), ['true']);
      const update = (cpuShares: string) =>
        c.s.updateContainerResources(background, { containerId: id, linux: { cpuShares } });
      const shares = function* () {
        return (yield* c.status(id)).resources?.linux?.cpuShares;
      };
      yield* update('256');
      c.recent((yield* shares()) === '256', 'ContainerStatus has resources');
      yield* c.s.startContainer(background, { containerId: id });
      yield* c.exited(id);
      yield* update('128');
      c.recent((yield* shares()) === '128', 'ContainerStatus has resources');
      yield* c.s.removeContainer(background, { containerId: id });
      c.same(yield* c.fails(update('64'), 'NotFound'), 'failed to find container: not found', 'removed');
    },
  },
  {
    name: 'more memory than it may have: OOMKilled',
    *run(c) {
      const linux = {
        resources: { cpuPeriod: '100000', cpuShares: '2', memoryLimitInBytes: String(16 << 20) },
        securityContext: { namespaceOptions: { pid: 'CONTAINER' as const } },
      };
      const id = yield* c.start(yield* c.sandbox(), script('exec tail /dev/zero'), { linux });
      const s = yield* c.exited(id, 60_000_000);
      c.same([s.exitCode, s.reason], [137, 'OOMKilled'], 'status');
    },
  },
];
