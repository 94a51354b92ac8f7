import {
  hostAlias,
  podDNSConfig,
  podDNSConfigOption,
  podOS,
  podReadinessGate,
  podSpec,
} from '../api/objects/pod-spec.js';
import { localObjectReference } from '../api/objects/references.js';
import { affinity, toleration } from '../api/objects/scheduling.js';
import { type TypeWords, words } from './node.js';

export const specWords: readonly TypeWords[] = [
  words(
    podDNSConfigOption,
    {
      name: ['Name, such as ndots.', '名字，例如 ndots。'],
      value: ['Its value, as text.', '它的值，写成文本。'],
    },
    ['One option.', '一个选项。'],
  ),
  words(podDNSConfig, {
    nameservers: { is: ['Name servers to add.', '要添加的域名服务器。'], each: ['An IP address.', '一个 IP 地址。'] },
    searches: { is: ['Search domains to add.', '要添加的搜索域。'], each: ['A domain.', '一个域。'] },
    options: ['Options of the resolver.', '解析器的选项。'],
  }),
  words(
    hostAlias,
    {
      ip: ['IP address.', 'IP 地址。'],
      hostnames: { is: ['Names for it.', '它的名字。'], each: ['A name.', '一个名字。'] },
    },
    ['One line of /etc/hosts.', '/etc/hosts 的一行。'],
  ),
  words(
    toleration,
    {
      key: ['Key of the taint; every key if it is left out with Exists.', '污点的键；用 Exists 而不写键表示所有键。'],
      operator: ['Whether the value is compared.', '是否比较值。'],
      value: ['Value of the taint.', '污点的值。'],
      effect: ['Effect of the taint; every effect if it is left out.', '污点的效果；不写表示所有效果。'],
      tolerationSeconds: ['With NoExecute: how long it is tolerated.', '用于 NoExecute：容忍多久。'],
    },
    ['One toleration.', '一条容忍。'],
  ),
  words(affinity, {
    nodeAffinity: [
      'Which nodes are suitable. The kubelet checks the required part, too.',
      '哪些节点合适。必需的部分 kubelet 也会检查。',
    ],
    podAffinity: ['For the scheduler only.', '只对调度器有意义。'],
    podAntiAffinity: ['For the scheduler only.', '只对调度器有意义。'],
  }),
  words(podOS, {
    name: ['Operating system.', '操作系统。'],
  }),
  words(
    podReadinessGate,
    {
      conditionType: ['Type of the condition.', '状况的类型。'],
    },
    ['One condition.', '一个状况。'],
  ),
  words(
    localObjectReference,
    {
      name: ['Name of the Secret.', 'Secret 的名字。'],
    },
    ['One Secret.', '一个 Secret。'],
  ),
  words(podSpec, {
    containers: ['The containers that run together for as long as the pod lasts.', '并排运行的容器，与 Pod 同寿命。'],
    initContainers: [
      'Containers that run before the others, one after the other, each to its end; with restartPolicy Always a sidecar.',
      '在其它容器之前依次运行完的容器；restartPolicy 为 Always 的是 sidecar。',
    ],
    volumes: ['Volumes that containers can mount.', '容器可以挂载的卷。'],
    restartPolicy: [
      'Which ended containers the kubelet starts again: all, those with an exit code other than 0, or none.',
      'kubelet 会重新启动哪些结束了的容器：全部、退出码非 0 的，或者都不启动。',
    ],
    terminationGracePeriodSeconds: [
      'Seconds from the stop signal (with preStop hooks) to SIGKILL.',
      '从停止信号（含 preStop 钩子）到 SIGKILL 的秒数。',
    ],
    activeDeadlineSeconds: [
      'Seconds after which the kubelet ends the pod as failed.',
      '超过这么多秒，kubelet 就以失败结束这个 Pod。',
    ],
    securityContext: [
      'Identity and confinement for all containers; a container’s own settings win.',
      '所有容器的身份和限制；容器自己的设置优先。',
    ],
    hostNetwork: ['The pod is in the node’s network: its IP is the node’s.', 'Pod 使用节点的网络：IP 就是节点的 IP。'],
    hostPID: ['Containers see all processes of the node.', '容器能看到节点上的所有进程。'],
    hostIPC: ['Containers share the node’s IPC.', '容器共享节点的 IPC。'],
    hostUsers: [
      'False gives the pod a user namespace of its own: its root is nobody on the node.',
      '为 false 时 Pod 有自己的用户命名空间：它的 root 在节点上什么都不是。',
    ],
    shareProcessNamespace: ['Containers of the pod see each other’s processes.', 'Pod 里的容器互相能看到进程。'],
    dnsPolicy: [
      'Where resolv.conf comes from: the cluster’s DNS, the node’s, or dnsConfig alone.',
      'resolv.conf 从哪里来：集群 DNS、节点的，或者只用 dnsConfig。',
    ],
    dnsConfig: ['What is added to resolv.conf.', '加到 resolv.conf 里的内容。'],
    hostname: ['Host name in the pod; its name if it is left out.', 'Pod 里的主机名；不写就用 Pod 的名字。'],
    subdomain: [
      'With it the pod has the name hostname.subdomain.namespace.svc.DOMAIN.',
      '有了它，Pod 的全名是 hostname.subdomain.namespace.svc.DOMAIN。',
    ],
    setHostnameAsFQDN: ['The full name is the host name.', '用全名作为主机名。'],
    hostnameOverride: ['Host name, instead of everything else.', '代替其它一切的主机名。'],
    hostAliases: ['Lines that the kubelet adds to /etc/hosts.', 'kubelet 加到 /etc/hosts 的行。'],
    resources: ['CPU and memory for all containers together.', '所有容器合计的 CPU 和内存。'],
    overhead: {
      is: [
        'What the pod itself needs besides its containers, given by its RuntimeClass.',
        'Pod 自身在容器之外的开销，由 RuntimeClass 决定。',
      ],
      each: ['An amount.', '数量。'],
    },
    priority: [
      'Importance as a number. From 2000000000 on the pod is critical and may preempt others.',
      '以数字表示的重要程度。达到 2000000000 就是关键 Pod，可以挤走别的 Pod。',
    ],
    priorityClassName: [
      'Name of the priority: system-node-critical and system-cluster-critical make it critical.',
      '优先级的名字：system-node-critical 和 system-cluster-critical 是关键 Pod。',
    ],
    preemptionPolicy: ['Whether the scheduler may preempt other pods for it.', '调度器能否为它抢占别的 Pod。'],
    tolerations: [
      'Taints of nodes that the pod tolerates. A pod from a manifest tolerates every NoExecute taint.',
      'Pod 能容忍的节点污点。来自清单的 Pod 容忍所有 NoExecute 污点。',
    ],
    nodeSelector: {
      is: [
        'Labels that the node must have; else the kubelet refuses the pod with NodeAffinity.',
        '节点必须有的标签；没有的话 kubelet 以 NodeAffinity 拒绝 Pod。',
      ],
      each: ['Value of the label.', '标签的值。'],
    },
    affinity: ['Which nodes the pod may be on.', 'Pod 可以在哪些节点上。'],
    os: [
      'Operating system that the pod is for; another than the node’s is refused.',
      'Pod 面向的操作系统；与节点不同会被拒绝。',
    ],
    runtimeClassName: [
      'Name of the RuntimeClass, which decides how the runtime runs the pod.',
      '运行时以哪种方式运行 Pod。',
    ],
    readinessGates: [
      'More conditions, set by others, that must be True for the pod to be Ready.',
      '由别人设置的附加状况，都为 True 时 Pod 才能 Ready。',
    ],
    enableServiceLinks: [
      'Whether services of the namespace become environment variables.',
      '命名空间里的服务是否变成环境变量。',
    ],
    serviceAccountName: [
      'Service account of the pod. Static pods may not have one.',
      'Pod 的服务账号。静态 Pod 不能有。',
    ],
    serviceAccount: ['Former name of serviceAccountName.', 'serviceAccountName 以前的名字。'],
    automountServiceAccountToken: [
      'Whether a token of the service account is mounted. Done by the API server.',
      '是否挂载服务账号的令牌。由 API server 处理。',
    ],
    imagePullSecrets: [
      'Secrets for private registries. Static pods may not use them.',
      '私有镜像仓库使用的 Secret。静态 Pod 不能用。',
    ],
    nodeName: [
      'Node of the pod. For a static pod the kubelet writes its own.',
      'Pod 所在的节点。对静态 Pod，kubelet 写上自己的节点名。',
    ],
    ephemeralContainers: [
      'Containers added to a running pod for debugging. A manifest may not have them.',
      '加到运行中的 Pod 里调试用的容器。清单里不能有。',
    ],
    schedulerName: [
      'Scheduler that places the pod. A static pod has none.',
      '放置 Pod 的调度器。静态 Pod 不经过调度器。',
    ],
    topologySpreadConstraints: {
      is: ['How the scheduler spreads pods.', '调度器怎样分散 Pod。'],
      each: ['One constraint.', '一条约束。'],
    },
    schedulingGates: {
      is: ['What holds the pod back from the scheduler.', '让调度器先不调度这个 Pod 的门。'],
      each: ['One gate.', '一道门。'],
    },
    resourceClaims: {
      is: ['Devices by claim. Static pods may not have any.', '通过申领得到的设备。静态 Pod 不能有。'],
      each: ['One claim.', '一个申领。'],
    },
    schedulingGroup: ['Group of pods that are scheduled together.', '一起调度的一组 Pod。'],
  }),
];
