import {
  appArmorProfile,
  capabilities,
  podSecurityContext,
  seccompProfile,
  securityContext,
  seLinuxOptions,
  sysctl,
} from '../api/objects/security.js';
import { type TypeWords, type Words, words } from './node.js';

const localhostProfile: Words = [
  'Name of the profile on the node; only with type Localhost.',
  '节点上配置的名字；只在 type 为 Localhost 时使用。',
];
const capability: Words = ['Name without CAP_, such as NET_ADMIN.', '不带 CAP_ 的名字，例如 NET_ADMIN。'];

/** The fields that both a pod, for all its containers, and a container have. */
const shared = {
  runAsUser: [
    'UID that the process runs as; the image’s user if it is left out.',
    '进程运行时的 UID；不写就用镜像里的用户。',
  ],
  runAsGroup: ['Primary GID of the process.', '进程的主 GID。'],
  runAsNonRoot: [
    'The kubelet refuses to start a container that would run as root.',
    '如果容器会以 root 运行，kubelet 拒绝启动它。',
  ],
  seLinuxOptions: ['SELinux label of the processes.', '进程的 SELinux 标签。'],
  seccompProfile: ['Which system calls are allowed.', '允许哪些系统调用。'],
  appArmorProfile: ['AppArmor profile of the processes.', '进程的 AppArmor 配置。'],
  windowsOptions: [
    'Settings for Windows containers; the kubelet here is for Linux.',
    'Windows 容器的设置；这里的 kubelet 只管 Linux。',
  ],
} satisfies Record<string, Words>;

export const securityWords: readonly TypeWords[] = [
  words(seLinuxOptions, {
    user: ['SELinux user.', 'SELinux 用户。'],
    role: ['SELinux role.', 'SELinux 角色。'],
    type: ['SELinux type.', 'SELinux 类型。'],
    level: ['SELinux level.', 'SELinux 级别。'],
  }),
  words(seccompProfile, {
    type: [
      'Where the seccomp profile comes from: the runtime’s own, none, or a file of the node.',
      'seccomp 配置从哪里来：运行时自带的、没有，或者节点上的文件。',
    ],
    localhostProfile,
  }),
  words(appArmorProfile, {
    type: [
      'Where the AppArmor profile comes from: the runtime’s own, none, or a file of the node.',
      'AppArmor 配置从哪里来：运行时自带的、没有，或者节点上的文件。',
    ],
    localhostProfile,
  }),
  words(capabilities, {
    add: {
      is: ['Capabilities to give.', '要给的 capability。'],
      each: capability,
    },
    drop: {
      is: ['Capabilities to remove; ALL for every one.', '要移除的 capability；ALL 表示全部。'],
      each: capability,
    },
  }),
  words(securityContext, {
    ...shared,
    privileged: ['Gives the container the host’s devices and all capabilities.', '给容器主机的设备和全部 capability。'],
    capabilities: [
      'Linux capabilities besides the runtime’s own set.',
      '在运行时默认集合之外增减的 Linux capability。',
    ],
    readOnlyRootFilesystem: ['Files of the image cannot be written.', '镜像里的文件不可写。'],
    allowPrivilegeEscalation: [
      'Whether a process may gain more privileges than its parent, as by a setuid program.',
      '进程能否获得比父进程更多的权限，例如通过 setuid 程序。',
    ],
    procMount: ['Whether parts of /proc are masked.', '/proc 的一部分是否被遮蔽。'],
  }),
  words(
    sysctl,
    {
      name: ['Name, such as net.ipv4.tcp_syncookies.', '名字，例如 net.ipv4.tcp_syncookies。'],
      value: ['Its value, as text.', '它的值，写成文本。'],
    },
    ['One kernel setting.', '一个内核参数。'],
  ),
  words(podSecurityContext, {
    ...shared,
    supplementalGroups: {
      is: ['More groups for the processes of all containers.', '所有容器的进程额外加入的组。'],
      each: ['A GID.', '一个 GID。'],
    },
    supplementalGroupsPolicy: [
      'Whether the groups of the image count as well (Merge), or only those given here (Strict).',
      '镜像里的组是否也算（Merge），还是只算这里写的（Strict）。',
    ],
    fsGroup: [
      'Group that the pod’s volumes belong to; the processes are in it, too.',
      'Pod 的卷所属的组，进程也在这个组里。',
    ],
    fsGroupChangePolicy: [
      'When owners of files in volumes are changed. Here the owners are never changed.',
      '什么时候更改卷里文件的属主。这里不更改。',
    ],
    sysctls: [
      'Kernel settings of the pod’s namespaces. Unsafe ones are refused unless the kubelet allows them.',
      'Pod 命名空间里的内核参数。不安全的参数除非 kubelet 允许，否则拒绝 Pod。',
    ],
    seLinuxChangePolicy: ['How SELinux labels get onto volumes.', 'SELinux 标签怎样打到卷上。'],
  }),
];
