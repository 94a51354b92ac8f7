import {
  execAction,
  grpcAction,
  httpGetAction,
  httpHeader,
  lifecycle,
  lifecycleHandler,
  probe,
  sleepAction,
  tcpSocketAction,
} from '../api/objects/probe.js';
import { type TypeWords, words } from './node.js';

export const probesWords: readonly TypeWords[] = [
  words(execAction, {
    command: {
      is: [
        'Program and arguments, run in the container without a shell. Exit code 0 is success.',
        '程序和参数，不经 shell 在容器里运行。退出码为 0 表示成功。',
      ],
      each: ['One word of the command.', '命令的一个词。'],
    },
  }),
  words(
    httpHeader,
    {
      name: ['Name of the header.', '头的名字。'],
      value: ['Its value.', '头的值。'],
    },
    ['One header.', '一个头。'],
  ),
  words(httpGetAction, {
    path: ['Path of the request.', '请求的路径。'],
    port: [
      'Port of the container: a number from 1 to 65535, or the name of one of its ports.',
      '容器的端口：1 到 65535 的数字，或者它某个端口的名字。',
    ],
    host: ['Host to connect to; the IP of the pod if it is left out.', '连接的主机；不写就用 Pod 的 IP。'],
    scheme: ['HTTP, or HTTPS without a check of the certificate.', 'HTTP，或者不校验证书的 HTTPS。'],
    httpHeaders: ['Headers of the request.', '请求的头。'],
  }),
  words(tcpSocketAction, {
    port: [
      'Port of the container: a number from 1 to 65535, or the name of one of its ports.',
      '容器的端口：1 到 65535 的数字，或者它某个端口的名字。',
    ],
    host: ['Host to connect to; the IP of the pod if it is left out.', '连接的主机；不写就用 Pod 的 IP。'],
  }),
  words(grpcAction, {
    port: ['Port of the gRPC server, from 1 to 65535.', 'gRPC 服务的端口，1 到 65535。'],
    service: ['Service to ask about in the health request.', '健康检查请求里要问的服务。'],
  }),
  words(sleepAction, {
    seconds: ['How long to wait.', '等待多久。'],
  }),
  words(lifecycleHandler, {
    exec: ['Runs a command in the container.', '在容器里运行一条命令。'],
    httpGet: [
      'Sends a GET request. An answer from 200 to 399 is success.',
      '发送 GET 请求。状态码在 200 到 399 之间表示成功。',
    ],
    tcpSocket: ['Kept for old manifests; as a hook it always fails.', '为旧清单保留；作为钩子一定失败。'],
    sleep: ['Waits for some seconds.', '等待若干秒。'],
  }),
  words(lifecycle, {
    postStart: [
      'Right after the start. The container is Running only when it is done; if it fails the container is killed.',
      '启动之后立即执行。做完之后容器才算 Running；失败则杀死容器。',
    ],
    preStop: [
      'Before the stop signal. Its time is part of the grace period.',
      '发送停止信号之前执行。它的时间算在宽限期内。',
    ],
    stopSignal: [
      'Signal that stops the container, such as SIGUSR1; the image’s or SIGTERM if it is left out.',
      '停止容器的信号，例如 SIGUSR1；不写就用镜像的或 SIGTERM。',
    ],
  }),
  words(probe, {
    exec: ['Runs a command in the container.', '在容器里运行一条命令。'],
    httpGet: [
      'Sends a GET request. An answer from 200 to 399 is success.',
      '发送 GET 请求。状态码在 200 到 399 之间表示成功。',
    ],
    tcpSocket: ['Opens a TCP connection. Being connected is success.', '建立 TCP 连接，连上就算成功。'],
    grpc: ['Calls the standard gRPC health service.', '调用标准的 gRPC 健康检查服务。'],
    initialDelaySeconds: [
      'Seconds after the start of the container before the first probe.',
      '容器启动后，第一次探测之前等待的秒数。',
    ],
    periodSeconds: ['Seconds from one probe to the next.', '两次探测之间的秒数。'],
    timeoutSeconds: ['Seconds after which a probe without an answer has failed.', '多少秒没有应答就算这次探测失败。'],
    successThreshold: [
      'Successes in a row that make it succeed after a failure. Must be 1 for liveness and startup.',
      '失败之后，连续成功多少次才算成功。liveness 和 startup 探针必须是 1。',
    ],
    failureThreshold: ['Failures in a row that make it fail.', '连续失败多少次才算失败。'],
    terminationGracePeriodSeconds: [
      'Grace period when this probe kills the container, instead of the pod’s. Not for readiness.',
      '因这个探针杀死容器时的宽限期，代替 Pod 的宽限期。readiness 探针不能用。',
    ],
  }),
];
