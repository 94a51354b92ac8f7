import type {
  Container,
  ContainerPort,
  ContainerRestartRule,
  EnvFromSource,
  EnvVar,
  EphemeralContainer,
  ResourceRequirements,
  VolumeMount,
} from '../kubelet/api/types.js';
import {
  anything,
  bool,
  int,
  list,
  map,
  object,
  type PropertiesOf,
  quantity,
  type SchemaNode,
  str,
  word,
} from './node.js';
import { lifecycleHandler, livenessProbe, readinessProbe, startupProbe } from './probes.js';
import { securityContext } from './security.js';
import { envFieldRef, resourceFieldRef } from './volumes.js';

/** What both a container and a pod can ask for. */
const amounts = (en: string, zh: string): SchemaNode => ({
  ...map(quantity('An amount, such as 250m or 64Mi.', '数量，例如 250m 或 64Mi。'), en, zh),
  properties: {
    cpu: quantity(
      'CPU, in cores: 1 is one core, 250m a quarter of one.',
      'CPU，以核为单位：1 是一个核，250m 是四分之一核。',
    ),
    memory: quantity('Memory in bytes, such as 64Mi.', '内存字节数，例如 64Mi。'),
    'ephemeral-storage': quantity(
      'Disk for logs, written files and emptyDirs.',
      '日志、写入的文件和 emptyDir 占用的磁盘。',
    ),
  },
});
const resourceFields: PropertiesOf<ResourceRequirements> = {
  requests: amounts(
    'What is set aside on the node; what is limited is requested, too, unless it says otherwise.',
    '在节点上预留多少；有 limit 而没写 request 的，request 等于 limit。',
  ),
  limits: amounts(
    'The most that may be used: CPU is throttled, memory beyond it is an OOM kill.',
    '最多能用多少：CPU 超出会被限流，内存超出会被 OOM 杀死。',
  ),
  claims: list(
    anything('A claim.', '一个申领。'),
    'Devices by claim. There are none here.',
    '通过申领得到的设备。这里没有。',
    { unsupported: true },
  ),
};
export const resources: SchemaNode = object(
  resourceFields,
  'CPU and memory: what is asked for and what is allowed. They decide the pod’s QoS class.',
  'CPU 和内存：请求多少、允许多少。它们决定 Pod 的 QoS 等级。',
);

const portFields: PropertiesOf<ContainerPort> = {
  containerPort: int('Port in the pod, from 1 to 65535.', 'Pod 里的端口，1 到 65535。'),
  name: str(
    'Name that probes can use: at most 15 lower case letters, digits and dashes.',
    '探针可以引用的名字：最多 15 个小写字母、数字或短横。',
  ),
  protocol: word(['TCP', 'UDP', 'SCTP'], 'Protocol of the port.', '端口的协议。', { default: 'TCP' }),
  hostPort: int(
    'Port of the node that leads here. Two pods with the same one do not fit on a node.',
    '通向这里的节点端口。端口相同的两个 Pod 不能在同一个节点上。',
  ),
  hostIP: str('Address of the node for hostPort.', 'hostPort 使用的节点地址。'),
};
const optional = bool('The container may start without it.', '没有它容器也可以启动。');
const keyRef = (kind: string): SchemaNode =>
  object(
    {
      name: str(`Name of the ${kind}.`, `${kind} 的名字。`),
      key: str('Key in it.', '其中的键。'),
      optional,
    },
    `A key of a ${kind}. Static pods may not use it.`,
    `${kind} 的一个键。静态 Pod 不能用。`,
    { required: ['key'] },
  );
const valueSources: PropertiesOf<NonNullable<EnvVar['valueFrom']>> = {
  fieldRef: envFieldRef,
  resourceFieldRef,
  configMapKeyRef: keyRef('ConfigMap'),
  secretKeyRef: keyRef('Secret'),
  fileKeyRef: object(
    {
      volumeName: str('Volume that the file is in.', '文件所在的卷。'),
      path: str('File in the volume.', '卷里的文件。'),
      key: str('Variable in the file.', '文件里的变量。'),
      optional,
    },
    'A variable of a file that an init container wrote into a volume.',
    'init 容器写进卷里的文件中的一个变量。',
    { required: ['volumeName', 'path', 'key'] },
  ),
};
const envFields: PropertiesOf<EnvVar> = {
  name: str('Name of the variable.', '变量的名字。'),
  value: str(
    'Its value, as text; $(NAME) stands for a variable before it.',
    '它的值，写成文本；$(NAME) 代表前面的变量。',
  ),
  valueFrom: object(valueSources, 'Takes the value from elsewhere.', '从别处取值。', {
    oneOf: Object.keys(valueSources),
  }),
};
const objectRef = (kind: string): SchemaNode =>
  object(
    { name: str(`Name of the ${kind}.`, `${kind} 的名字。`), optional },
    `All keys of a ${kind}. Static pods may not use it.`,
    `${kind} 的所有键。静态 Pod 不能用。`,
  );
const envFromFields: PropertiesOf<EnvFromSource> = {
  configMapRef: objectRef('ConfigMap'),
  secretRef: objectRef('Secret'),
  prefix: str('Put before each name.', '加在每个名字前面。'),
};
const mountFields: PropertiesOf<VolumeMount> = {
  name: str('Name of one of the pod’s volumes.', 'Pod 的某个卷的名字。'),
  mountPath: str('Where it appears in the container.', '它在容器里出现的位置。'),
  readOnly: bool('The container cannot write to it.', '容器不能写。'),
  subPath: str('Only this part of the volume.', '只挂载卷的这一部分。'),
  subPathExpr: str('The same, with $(NAME) of variables filled in.', '同上，但会代入变量 $(NAME)。'),
  mountPropagation: word(
    ['None', 'HostToContainer', 'Bidirectional'],
    'Whether mounts made later pass between node and container.',
    '之后建立的挂载是否在节点和容器之间传播。',
  ),
  recursiveReadOnly: word(
    ['Disabled', 'IfPossible', 'Enabled'],
    'Whether mounts below it are read-only, too.',
    '它下面的挂载是否也只读。',
  ),
};
const ruleFields: PropertiesOf<ContainerRestartRule> = {
  action: word(['Restart', 'RestartAllContainers'], 'What happens when the rule fits.', '规则匹配时做什么。'),
  exitCodes: object(
    {
      operator: word(['In', 'NotIn'], 'Whether the exit code must be one of them.', '退出码是否必须在其中。'),
      values: list(int('An exit code.', '一个退出码。'), 'Exit codes, from 0 to 255.', '退出码，0 到 255。'),
    },
    'Fits by the exit code.',
    '按退出码匹配。',
    { required: ['operator'] },
  ),
};

const restartPolicies = ['Always', 'OnFailure', 'Never'] as const;
const properties: PropertiesOf<Container> = {
  name: str('Name of the container, one of its own in the pod.', '容器的名字，在 Pod 里不能重复。'),
  image: str('Image to run, such as busybox:1.36.', '要运行的镜像，例如 busybox:1.36。'),
  command: list(
    str('One word.', '一个词。'),
    'Program to run, in place of the image’s entrypoint. No shell is involved.',
    '要运行的程序，代替镜像的入口。不经过 shell。',
  ),
  args: list(str('One argument.', '一个参数。'), 'Arguments, in place of the image’s.', '参数，代替镜像里的。'),
  env: list(
    object(envFields, 'One variable.', '一个变量。', { required: ['name'] }),
    'Environment variables.',
    '环境变量。',
  ),
  ports: list(
    object(portFields, 'One port.', '一个端口。', { required: ['containerPort'] }),
    'Ports that the container listens on. They open nothing by themselves.',
    '容器监听的端口。写在这里本身不会打开任何东西。',
  ),
  resources,
  livenessProbe,
  readinessProbe,
  startupProbe,
  lifecycle: object(
    {
      postStart: {
        ...lifecycleHandler,
        description: {
          en: 'Right after the start. The container is Running only when it is done; if it fails the container is killed.',
          zh: '启动之后立即执行。做完之后容器才算 Running；失败则杀死容器。',
        },
      },
      preStop: {
        ...lifecycleHandler,
        description: {
          en: 'Before the stop signal. Its time is part of the grace period.',
          zh: '发送停止信号之前执行。它的时间算在宽限期内。',
        },
      },
      stopSignal: str(
        'Signal that stops the container, such as SIGUSR1; the image’s or SIGTERM if it is left out.',
        '停止容器的信号，例如 SIGUSR1；不写就用镜像的或 SIGTERM。',
      ),
    } satisfies PropertiesOf<NonNullable<Container['lifecycle']>>,
    'What is done after the start and before the stop.',
    '启动之后和停止之前做什么。',
  ),
  volumeMounts: list(
    object(mountFields, 'One mount.', '一个挂载。', { required: ['name', 'mountPath'] }),
    'Volumes of the pod and where they appear.',
    'Pod 的卷，以及它们出现在哪里。',
  ),
  imagePullPolicy: word(
    ['Always', 'IfNotPresent', 'Never'],
    'When the image is pulled. Left out: Always for :latest or no tag, else IfNotPresent.',
    '什么时候拉取镜像。不写：:latest 或没有标签时是 Always，否则是 IfNotPresent。',
  ),
  restartPolicy: word(
    restartPolicies,
    'On an init container Always makes it a sidecar, which runs beside the others. Else in place of the pod’s policy.',
    '在 init 容器上写 Always 就成为 sidecar，与其它容器一起运行。否则代替 Pod 的策略。',
  ),
  restartPolicyRules: list(
    object(ruleFields, 'One rule; the first that fits counts.', '一条规则；第一条匹配的生效。', {
      required: ['action'],
    }),
    'Exceptions from the restart policy, by exit code.',
    '按退出码规定的重启策略例外。',
  ),
  securityContext,
  envFrom: list(
    object(envFromFields, 'One source.', '一个来源。', { oneOf: ['configMapRef', 'secretRef'] }),
    'Variables from all keys of ConfigMaps and Secrets.',
    '由 ConfigMap 和 Secret 的所有键生成的变量。',
  ),
  workingDir: str(
    'Folder that the program starts in; the image’s if it is left out.',
    '程序启动时的目录；不写就用镜像的。',
  ),
  terminationMessagePath: str(
    'File from which the kubelet reads why the container ended.',
    'kubelet 从这个文件读取容器为什么结束。',
    {
      default: '/dev/termination-log',
    },
  ),
  terminationMessagePolicy: word(
    ['File', 'FallbackToLogsOnError'],
    'Whether the end of the log serves as the message when the file is empty and the container failed.',
    '文件为空且容器失败时，是否用日志末尾作为消息。',
    { default: 'File' },
  ),
  resizePolicy: list(
    object(
      {
        resourceName: word(['cpu', 'memory'], 'Resource that it is about.', '针对哪种资源。'),
        restartPolicy: word(
          ['NotRequired', 'RestartContainer'],
          'Whether a change restarts the container.',
          '改变时是否重启容器。',
        ),
      },
      'For one resource.',
      '针对一种资源。',
      { required: ['resourceName', 'restartPolicy'] },
    ),
    'Whether the container restarts when its resources change in place.',
    '原地改变资源时容器是否重启。',
  ),
  stdin: bool('Keeps standard input open.', '保持标准输入打开。'),
  stdinOnce: bool('Closes standard input after the first client.', '第一个客户端断开后关闭标准输入。'),
  tty: bool('Gives it a terminal; needs stdin.', '分配终端；需要 stdin。'),
  volumeDevices: list(
    anything('A device.', '一个设备。'),
    'Raw block devices. There are none here.',
    '裸块设备。这里没有。',
    { unsupported: true },
  ),
};

export const container: SchemaNode = object(properties, 'One container.', '一个容器。', {
  required: ['name', 'image'],
});

const ephemeral: PropertiesOf<EphemeralContainer> = {
  ...properties,
  targetContainerName: str('Container whose processes it sees.', '它能看到哪个容器的进程。'),
};
export const ephemeralContainer: SchemaNode = object(ephemeral, 'One container for debugging.', '一个调试用的容器。', {
  required: ['name', 'image'],
});
