import {
  configMapEnvSource,
  configMapKeySelector,
  container,
  containerPort,
  containerResizePolicy,
  containerRestartRule,
  containerRestartRuleOnExitCodes,
  envFromSource,
  envVar,
  envVarSource,
  ephemeralContainer,
  fileKeySelector,
  resourceRequirements,
  secretEnvSource,
  secretKeySelector,
  volumeMount,
} from '../api/objects/container.js';
import type { Container } from '../api/types.js';
import { type ListWords, type TypeWords, type Words, words } from './node.js';

const containerFields = {
  name: ['Name of the container, one of its own in the pod.', '容器的名字，在 Pod 里不能重复。'],
  image: ['Image to run, such as busybox:1.36.', '要运行的镜像，例如 busybox:1.36。'],
  command: {
    is: [
      'Program to run, instead of the image’s entrypoint. No shell is involved.',
      '要运行的程序，代替镜像的入口。不经过 shell。',
    ],
    each: ['One word.', '一个词。'],
  },
  args: {
    is: ['Arguments, instead of the image’s.', '参数，代替镜像里的。'],
    each: ['One argument.', '一个参数。'],
  },
  env: ['Environment variables.', '环境变量。'],
  ports: [
    'Ports that the container listens on. They open nothing by themselves.',
    '容器监听的端口。写在这里本身不会打开任何东西。',
  ],
  resources: [
    'CPU and memory: requests and limits. They decide the pod’s QoS class.',
    'CPU 和内存：请求多少、允许多少。它们决定 Pod 的 QoS 等级。',
  ],
  livenessProbe: [
    'Whether the container still works. When it fails the kubelet kills the container, and restarts it by the restart policy.',
    '容器是否还正常。失败时 kubelet 杀死容器，再按重启策略重启。',
  ],
  readinessProbe: [
    'Whether the container can serve now. While it fails the pod is not Ready; nothing is killed.',
    '容器现在能否提供服务。失败期间 Pod 不是 Ready，但不会杀死任何东西。',
  ],
  startupProbe: [
    'Whether the container has started. Until it succeeds the other probes wait; when it fails the container is killed.',
    '容器是否已启动完成。成功之前其它探针都等着；失败时容器会被杀死。',
  ],
  lifecycle: ['What is done after the start and before the stop.', '启动之后和停止之前做什么。'],
  volumeMounts: ['Volumes of the pod and where they appear.', 'Pod 的卷，以及它们出现在哪里。'],
  imagePullPolicy: [
    'When the image is pulled. Left out: Always for :latest or no tag, else IfNotPresent.',
    '什么时候拉取镜像。不写：:latest 或没有标签时是 Always，否则是 IfNotPresent。',
  ],
  restartPolicy: [
    'On an init container Always makes it a sidecar, which runs next to the others. Otherwise it replaces the pod’s policy.',
    '在 init 容器上写 Always 就成为 sidecar，与其它容器一起运行。否则代替 Pod 的策略。',
  ],
  restartPolicyRules: ['Exceptions from the restart policy, by exit code.', '按退出码规定的重启策略例外。'],
  securityContext: ['Identity and confinement of this container.', '这个容器的身份和限制。'],
  envFrom: ['Variables from all keys of ConfigMaps and Secrets.', '由 ConfigMap 和 Secret 的所有键生成的变量。'],
  workingDir: [
    'Folder that the program starts in; the image’s if it is left out.',
    '程序启动时的目录；不写就用镜像的。',
  ],
  terminationMessagePath: [
    'File from which the kubelet reads why the container ended.',
    'kubelet 从这个文件读取容器为什么结束。',
  ],
  terminationMessagePolicy: [
    'Whether the end of the log serves as the message when the file is empty and the container failed.',
    '文件为空且容器失败时，是否用日志末尾作为消息。',
  ],
  resizePolicy: ['Whether the container restarts when its resources change in place.', '原地改变资源时容器是否重启。'],
  stdin: ['Keeps standard input open.', '保持标准输入打开。'],
  stdinOnce: ['Closes standard input after the first client.', '第一个客户端断开后关闭标准输入。'],
  tty: ['Gives it a terminal; needs stdin.', '分配终端；需要 stdin。'],
  volumeDevices: {
    is: ['Raw block devices. There are none here.', '裸块设备。这里没有。'],
    each: ['A device.', '一个设备。'],
  },
} satisfies { readonly [K in keyof Container]-?: Words | ListWords };

export const containerWords: readonly TypeWords[] = [
  words(configMapKeySelector, {
    name: ['Name of the ConfigMap.', 'ConfigMap 的名字。'],
    key: ['Key in it.', '其中的键。'],
    optional: ['The container may start without it.', '没有它容器也可以启动。'],
  }),
  words(secretKeySelector, {
    name: ['Name of the Secret.', 'Secret 的名字。'],
    key: ['Key in it.', '其中的键。'],
    optional: ['The container may start without it.', '没有它容器也可以启动。'],
  }),
  words(fileKeySelector, {
    volumeName: ['Volume that the file is in.', '文件所在的卷。'],
    path: ['File in the volume.', '卷里的文件。'],
    key: ['Variable in the file.', '文件里的变量。'],
    optional: ['The container may start without it.', '没有它容器也可以启动。'],
  }),
  words(envVarSource, {
    fieldRef: ['A field of the pod.', 'Pod 的一个字段。'],
    resourceFieldRef: ['A container’s request or limit.', '容器的一个 request 或 limit。'],
    configMapKeyRef: ['A key of a ConfigMap. Static pods may not use it.', 'ConfigMap 的一个键。静态 Pod 不能用。'],
    secretKeyRef: ['A key of a Secret. Static pods may not use it.', 'Secret 的一个键。静态 Pod 不能用。'],
    fileKeyRef: [
      'A variable of a file that an init container wrote into a volume.',
      'init 容器写进卷里的文件中的一个变量。',
    ],
  }),
  words(
    envVar,
    {
      name: ['Name of the variable.', '变量的名字。'],
      value: [
        'Its value, as text; $(NAME) stands for a variable before it.',
        '它的值，写成文本；$(NAME) 代表前面的变量。',
      ],
      valueFrom: ['Takes the value from elsewhere.', '从别处取值。'],
    },
    ['One variable.', '一个变量。'],
  ),
  words(configMapEnvSource, {
    name: ['Name of the ConfigMap.', 'ConfigMap 的名字。'],
    optional: ['The container may start without it.', '没有它容器也可以启动。'],
  }),
  words(secretEnvSource, {
    name: ['Name of the Secret.', 'Secret 的名字。'],
    optional: ['The container may start without it.', '没有它容器也可以启动。'],
  }),
  words(
    envFromSource,
    {
      configMapRef: ['All keys of a ConfigMap. Static pods may not use it.', 'ConfigMap 的所有键。静态 Pod 不能用。'],
      secretRef: ['All keys of a Secret. Static pods may not use it.', 'Secret 的所有键。静态 Pod 不能用。'],
      prefix: ['Put before each name.', '加在每个名字前面。'],
    },
    ['One source.', '一个来源。'],
  ),
  words(
    containerPort,
    {
      containerPort: ['Port in the pod, from 1 to 65535.', 'Pod 里的端口，1 到 65535。'],
      name: [
        'Name that probes can use: at most 15 lower case letters, digits and dashes.',
        '探针可以引用的名字：最多 15 个小写字母、数字或短横。',
      ],
      protocol: ['Protocol of the port.', '端口的协议。'],
      hostPort: [
        'Port of the node that leads here. Two pods with the same host port do not fit on a node.',
        '通向这里的节点端口。端口相同的两个 Pod 不能在同一个节点上。',
      ],
      hostIP: ['Address of the node for hostPort.', 'hostPort 使用的节点地址。'],
    },
    ['One port.', '一个端口。'],
  ),
  words(resourceRequirements, {
    requests: {
      is: [
        'What is set aside on the node; what is limited is requested, too, unless it says otherwise.',
        '在节点上预留多少；有 limit 而没写 request 的，request 等于 limit。',
      ],
      each: ['An amount, such as 250m or 64Mi.', '数量，例如 250m 或 64Mi。'],
      keys: {
        cpu: [
          'CPU, in cores: 1 is one core, 250m a quarter of one.',
          'CPU，以核为单位：1 是一个核，250m 是四分之一核。',
        ],
        memory: ['Memory in bytes, such as 64Mi.', '内存字节数，例如 64Mi。'],
        'ephemeral-storage': [
          'Disk for logs, written files and emptyDirs.',
          '日志、写入的文件和 emptyDir 占用的磁盘。',
        ],
      },
    },
    limits: {
      is: [
        'The most that may be used: CPU is throttled, memory beyond it is an OOM kill.',
        '最多能用多少：CPU 超出会被限流，内存超出会被 OOM 杀死。',
      ],
      each: ['An amount, such as 250m or 64Mi.', '数量，例如 250m 或 64Mi。'],
      keys: {
        cpu: [
          'CPU, in cores: 1 is one core, 250m a quarter of one.',
          'CPU，以核为单位：1 是一个核，250m 是四分之一核。',
        ],
        memory: ['Memory in bytes, such as 64Mi.', '内存字节数，例如 64Mi。'],
        'ephemeral-storage': [
          'Disk for logs, written files and emptyDirs.',
          '日志、写入的文件和 emptyDir 占用的磁盘。',
        ],
      },
    },
    claims: {
      is: ['Devices by claim. There are none here.', '通过申领得到的设备。这里没有。'],
      each: ['A claim.', '一个申领。'],
    },
  }),
  words(
    volumeMount,
    {
      name: ['Name of one of the pod’s volumes.', 'Pod 的某个卷的名字。'],
      mountPath: ['Where it appears in the container.', '它在容器里出现的位置。'],
      readOnly: ['The container cannot write to it.', '容器不能写。'],
      subPath: ['Only this part of the volume.', '只挂载卷的这一部分。'],
      subPathExpr: ['The same, with $(NAME) of variables filled in.', '同上，但会代入变量 $(NAME)。'],
      mountPropagation: [
        'Whether later mounts propagate between the node and the container.',
        '之后建立的挂载是否在节点和容器之间传播。',
      ],
      recursiveReadOnly: ['Whether mounts below it are read-only, too.', '它下面的挂载是否也只读。'],
    },
    ['One mount.', '一个挂载。'],
  ),
  words(containerRestartRuleOnExitCodes, {
    operator: ['Whether the exit code must be one of them.', '退出码是否必须在其中。'],
    values: { is: ['Exit codes, from 0 to 255.', '退出码，0 到 255。'], each: ['An exit code.', '一个退出码。'] },
  }),
  words(
    containerRestartRule,
    {
      action: ['What happens when the rule matches.', '规则匹配时做什么。'],
      exitCodes: ['Matches by the exit code.', '按退出码匹配。'],
    },
    ['One rule; the first one that matches counts.', '一条规则；第一条匹配的生效。'],
  ),
  words(
    containerResizePolicy,
    {
      resourceName: ['Resource that it is about.', '针对哪种资源。'],
      restartPolicy: ['Whether a change restarts the container.', '改变时是否重启容器。'],
    },
    ['For one resource.', '针对一种资源。'],
  ),
  words(container, containerFields, ['One container.', '一个容器。']),
  words(
    ephemeralContainer,
    {
      ...containerFields,
      targetContainerName: ['Container whose processes it sees.', '它能看到哪个容器的进程。'],
    },
    ['One container for debugging.', '一个调试用的容器。'],
  ),
];
