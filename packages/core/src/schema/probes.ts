import type { ExecAction, HTTPGetAction, LifecycleHandler, Probe, TCPSocketAction } from '../kubelet/api/types.js';
import { about, int, intOrString, list, object, type PropertiesOf, type SchemaNode, str, word } from './node.js';

const port = intOrString(
  'Port of the container: a number from 1 to 65535, or the name of one of its ports.',
  '容器的端口：1 到 65535 的数字，或者它某个端口的名字。',
);
const host = str('Host to connect to; the IP of the pod if it is left out.', '连接的主机；不写就用 Pod 的 IP。');

const execFields: PropertiesOf<ExecAction> = {
  command: list(
    str('One word of the command.', '命令的一个词。'),
    'Program and arguments, run in the container without a shell. Exit code 0 is success.',
    '程序和参数，不经 shell 在容器里运行。退出码为 0 表示成功。',
  ),
};
const exec = object(execFields, 'Runs a command in the container.', '在容器里运行一条命令。', {
  required: ['command'],
});

const httpFields: PropertiesOf<HTTPGetAction> = {
  path: str('Path to ask for.', '请求的路径。', { default: '/' }),
  port,
  host,
  scheme: word(
    ['HTTP', 'HTTPS'],
    'HTTP, or HTTPS without a check of the certificate.',
    'HTTP，或者不校验证书的 HTTPS。',
    {
      default: 'HTTP',
    },
  ),
  httpHeaders: list(
    object(
      { name: str('Name of the header.', '头的名字。'), value: str('Its value.', '头的值。') },
      'One header.',
      '一个头。',
      { required: ['name', 'value'] },
    ),
    'Headers of the request.',
    '请求的头。',
  ),
};
const httpGet = object(
  httpFields,
  'Sends a GET request. An answer from 200 to 399 is success.',
  '发送 GET 请求。状态码在 200 到 399 之间表示成功。',
  { required: ['port'] },
);

const tcpFields: PropertiesOf<TCPSocketAction> = { port, host };
const tcpSocket = object(
  tcpFields,
  'Opens a TCP connection. Being connected is success.',
  '建立 TCP 连接，连上就算成功。',
  {
    required: ['port'],
  },
);

const sleep = object({ seconds: int('How long to wait.', '等待多久。') }, 'Waits for some seconds.', '等待若干秒。', {
  required: ['seconds'],
});

const hookFields: PropertiesOf<LifecycleHandler> = { exec, httpGet, tcpSocket, sleep };
/** What a hook does. */
export const lifecycleHandler: SchemaNode = object(
  {
    ...hookFields,
    tcpSocket: about(
      tcpSocket,
      'Kept for old manifests; as a hook it always fails.',
      '为旧清单保留；作为钩子一定失败。',
    ),
  },
  'What is done at this moment: one of exec, httpGet and sleep.',
  '这个时刻做什么：exec、httpGet、sleep 之一。',
  { oneOf: ['exec', 'httpGet', 'sleep', 'tcpSocket'] },
);

const probeFields: PropertiesOf<Probe> = {
  exec,
  httpGet,
  tcpSocket,
  grpc: object(
    {
      port: int('Port of the gRPC server, from 1 to 65535.', 'gRPC 服务的端口，1 到 65535。'),
      service: str('Service to ask about in the health request.', '健康检查请求里要问的服务。', { default: '' }),
    },
    'Calls the standard gRPC health service.',
    '调用标准的 gRPC 健康检查服务。',
    { required: ['port'] },
  ),
  initialDelaySeconds: int(
    'Seconds after the start of the container before the first probe.',
    '容器启动后，第一次探测之前等待的秒数。',
  ),
  periodSeconds: int('Seconds from one probe to the next.', '两次探测之间的秒数。', { default: 10 }),
  timeoutSeconds: int('Seconds after which a probe without an answer has failed.', '多少秒没有应答就算这次探测失败。', {
    default: 1,
  }),
  successThreshold: int(
    'Successes in a row that make it succeed after a failure. Must be 1 for liveness and startup.',
    '失败之后，连续成功多少次才算成功。liveness 和 startup 探针必须是 1。',
    { default: 1 },
  ),
  failureThreshold: int('Failures in a row that make it fail.', '连续失败多少次才算失败。', { default: 3 }),
  terminationGracePeriodSeconds: int(
    'Grace period when this probe kills the container, in place of the pod’s. Not for readiness.',
    '因这个探针杀死容器时的宽限期，代替 Pod 的宽限期。readiness 探针不能用。',
  ),
};
const probe = (en: string, zh: string): SchemaNode =>
  object(probeFields, en, zh, { oneOf: ['exec', 'httpGet', 'tcpSocket', 'grpc'] });

export const livenessProbe = probe(
  'Whether the container still works. When it fails the kubelet kills the container, and restarts it by the restart policy.',
  '容器是否还正常。失败时 kubelet 杀死容器，再按重启策略重启。',
);
export const readinessProbe = probe(
  'Whether the container can serve now. While it fails the pod is not Ready; nothing is killed.',
  '容器现在能否提供服务。失败期间 Pod 不是 Ready，但不会杀死任何东西。',
);
export const startupProbe = probe(
  'Whether the container has started. Until it succeeds the other probes wait; when it fails the container is killed.',
  '容器是否已启动完成。成功之前其它探针都等着；失败时容器会被杀死。',
);
