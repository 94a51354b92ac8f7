import {
  containerState,
  containerStateRunning,
  containerStateTerminated,
  containerStateWaiting,
  containerStatus,
  podCondition,
  podStatus,
} from '../api/objects/pod-status.js';
import { type TypeWords, words } from './node.js';

export const statusWords: readonly TypeWords[] = [
  words(
    podCondition,
    {
      type: [
        'Type of the condition, such as Ready, Initialized, ContainersReady, PodScheduled.',
        '例如 Ready、Initialized、ContainersReady、PodScheduled。',
      ],
      status: ['Whether it holds.', '是否成立。'],
      reason: ['The reason, in one word.', '用一个词说明为什么。'],
      message: ['The reason, as a sentence.', '用一句话说明为什么。'],
      lastTransitionTime: ['When the status last changed.', '状态上次改变的时间。'],
      lastProbeTime: ['When it was last looked at.', '上次查看的时间。'],
      observedGeneration: ['Generation of the spec that the condition is about.', '针对哪个 generation。'],
    },
    ['One condition.', '一个状况。'],
  ),
  words(containerStateWaiting, {
    reason: [
      'The reason, such as ContainerCreating or CrashLoopBackOff.',
      '例如 ContainerCreating 或 CrashLoopBackOff。',
    ],
    message: ['The reason, as a sentence.', '原因。'],
  }),
  words(containerStateRunning, {
    startedAt: ['When it started.', '什么时候启动。'],
  }),
  words(containerStateTerminated, {
    exitCode: ['Exit code.', '退出码。'],
    signal: ['Signal that ended it.', '结束它的信号。'],
    reason: ['The reason, such as Completed, Error or OOMKilled.', '例如 Completed、Error 或 OOMKilled。'],
    message: ['What it wrote into its termination message.', '它写在终止消息里的内容。'],
    startedAt: ['When it started.', '什么时候启动。'],
    finishedAt: ['When it ended.', '什么时候结束。'],
    containerID: ['ID of the container that ended.', '是哪个容器。'],
  }),
  words(containerState, {
    waiting: ['It does not run yet.', '还没有运行。'],
    running: ['It runs.', '正在运行。'],
    terminated: ['It has ended.', '已经结束。'],
  }),
  words(
    containerStatus,
    {
      name: ['Name of the container.', '容器的名字。'],
      state: ['One of waiting, running and terminated.', 'waiting、running、terminated 之一。'],
      lastState: ['How the previous run of the container ended.', '上一个容器是怎样结束的。'],
      ready: ['It runs, and its readiness probe succeeds.', '正在运行，且 readiness 探针成功。'],
      started: [
        'It runs, its postStart hook has finished, and its startup probe has succeeded.',
        '正在运行，postStart 已完成且 startup 探针成功。',
      ],
      restartCount: ['How often it was started again.', '重启过多少次。'],
      image: ['Image that runs.', '运行的镜像。'],
      imageID: ['Its digest.', '镜像的摘要。'],
      containerID: ['The runtime’s name for the container.', '运行时给容器的标识。'],
      allocatedResources: ['The resources that the node has allocated to it.', '节点为它预留的资源。'],
      resources: ['The resources that it really has.', '它实际得到的资源。'],
      user: ['The user that its first process runs as.', '第一个进程以谁的身份运行。'],
      volumeMounts: ['The status of its mounts.', '挂载的结果。'],
      stopSignal: ['Signal that will stop it.', '用来停止它的信号。'],
      allocatedResourcesStatus: ['Health of the devices that were allocated to it.', '分配给它的设备的健康状况。'],
    },
    ['The status of one container.', '一个容器的情况。'],
  ),
  words(podStatus, {
    phase: ['Where the pod is in its life, in one word.', '用一个词概括 Pod 处在生命的哪个阶段。'],
    conditions: ['The conditions of the pod.', '现在哪些状况成立。'],
    reason: ['The reason of the phase in one word, such as Evicted.', '用一个词说明原因，例如 Evicted。'],
    message: ['The reason of the phase, as a sentence.', '用一句话说明原因。'],
    hostIP: ['Address of the node.', '节点的地址。'],
    hostIPs: ['Addresses of the node.', '节点的所有地址。'],
    podIP: ['Address of the pod.', 'Pod 的地址。'],
    podIPs: ['Addresses of the pod.', 'Pod 的所有地址。'],
    startTime: ['When the kubelet took it on.', 'kubelet 接手的时间。'],
    initContainerStatuses: ['Its init containers.', '它的 init 容器。'],
    containerStatuses: ['Its containers.', '它的容器。'],
    ephemeralContainerStatuses: ['Its containers for debugging.', '它的调试容器。'],
    qosClass: [
      'Decides who is killed first when memory runs out: BestEffort, then Burstable, Guaranteed last.',
      '内存不足时谁先被牺牲：先 BestEffort，再 Burstable，最后 Guaranteed。',
    ],
    observedGeneration: ['Generation of the spec that this is about.', '针对哪个 generation 的 spec。'],
    nominatedNodeName: ['Node on which room is being made for it.', '正在为它腾地方的节点。'],
    resize: ['The progress of an in-place resize.', '原地改变资源的进展。'],
    allocatedResources: ['The resources that the node has allocated to the pod.', '节点为这个 Pod 预留的资源。'],
    resources: ['The resources that the pod really has.', '这个 Pod 实际得到的资源。'],
    resourceClaimStatuses: ['Which ResourceClaims were made for the pod.', '为这个 Pod 创建了哪些 ResourceClaim。'],
    extendedResourceClaimStatus: [
      'The ResourceClaim that backs its extended resources.',
      '支撑其扩展资源的 ResourceClaim。',
    ],
    nodeAllocatableResourceClaimStatuses: [
      'The resources of the node that its ResourceClaims use.',
      '它的 ResourceClaim 占用了节点的什么。',
    ],
  }),
];
