import type { PodCondition, PodStatus } from '../kubelet/api/types.js';
import { anything, bool, int, list, object, type PropertiesOf, type SchemaNode, str, time, word } from './node.js';

const conditionFields: PropertiesOf<PodCondition> = {
  type: str(
    'Such as Ready, Initialized, ContainersReady, PodScheduled.',
    '例如 Ready、Initialized、ContainersReady、PodScheduled。',
  ),
  status: word(['True', 'False', 'Unknown'], 'Whether it holds.', '是否成立。'),
  reason: str('One word for why.', '用一个词说明为什么。'),
  message: str('A sentence for why.', '用一句话说明为什么。'),
  lastTransitionTime: time('When the status last changed.', '状态上次改变的时间。'),
  lastProbeTime: time('When it was last looked at.', '上次查看的时间。'),
  observedGeneration: int('Generation that it is about.', '针对哪个 generation。'),
};
const state = object(
  {
    waiting: object(
      {
        reason: str('Such as ContainerCreating or CrashLoopBackOff.', '例如 ContainerCreating 或 CrashLoopBackOff。'),
        message: str('A sentence for why.', '原因。'),
      },
      'It does not run yet.',
      '还没有运行。',
    ),
    running: object({ startedAt: time('When it started.', '什么时候启动。') }, 'It runs.', '正在运行。'),
    terminated: object(
      {
        exitCode: int('Exit code.', '退出码。'),
        signal: int('Signal that ended it.', '结束它的信号。'),
        reason: str('Such as Completed, Error or OOMKilled.', '例如 Completed、Error 或 OOMKilled。'),
        message: str('What it wrote into its termination message.', '它写在终止消息里的内容。'),
        startedAt: time('When it started.', '什么时候启动。'),
        finishedAt: time('When it ended.', '什么时候结束。'),
        containerID: str('The container that it was.', '是哪个容器。'),
      },
      'It has ended.',
      '已经结束。',
    ),
  },
  'One of waiting, running and terminated.',
  'waiting、running、terminated 之一。',
);
const containerStatus = object(
  {
    name: str('Name of the container.', '容器的名字。'),
    state,
    lastState: { ...state, description: { en: 'How the one before it ended.', zh: '上一个容器是怎样结束的。' } },
    ready: bool('It runs, and its readiness probe succeeds.', '正在运行，且 readiness 探针成功。'),
    started: bool(
      'It runs, with postStart done and its startup probe succeeded.',
      '正在运行，postStart 已完成且 startup 探针成功。',
    ),
    restartCount: int('How often it was started again.', '重启过多少次。'),
    image: str('Image that runs.', '运行的镜像。'),
    imageID: str('Its digest.', '镜像的摘要。'),
    containerID: str('The runtime’s name for the container.', '运行时给容器的标识。'),
    allocatedResources: anything('What the node has set aside for it.', '节点为它预留的资源。'),
    resources: anything('What it really has.', '它实际得到的资源。'),
    user: anything('Whom its first process runs as.', '第一个进程以谁的身份运行。'),
    volumeMounts: anything('How its mounts turned out.', '挂载的结果。'),
    stopSignal: str('Signal that will stop it.', '用来停止它的信号。'),
  },
  'What became of one container.',
  '一个容器的情况。',
);

const properties: PropertiesOf<PodStatus> = {
  phase: word(
    ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'],
    'Where the pod is in its life, in one word.',
    '用一个词概括 Pod 处在生命的哪个阶段。',
  ),
  conditions: list(
    object(conditionFields, 'One condition.', '一个状况。'),
    'What holds for the pod now.',
    '现在哪些状况成立。',
  ),
  reason: str('One word for why it is so, such as Evicted.', '用一个词说明原因，例如 Evicted。'),
  message: str('A sentence for why it is so.', '用一句话说明原因。'),
  hostIP: str('Address of the node.', '节点的地址。'),
  hostIPs: anything('Addresses of the node.', '节点的所有地址。'),
  podIP: str('Address of the pod.', 'Pod 的地址。'),
  podIPs: anything('Addresses of the pod.', 'Pod 的所有地址。'),
  startTime: time('When the kubelet took it on.', 'kubelet 接手的时间。'),
  initContainerStatuses: list(containerStatus, 'Its init containers.', '它的 init 容器。'),
  containerStatuses: list(containerStatus, 'Its containers.', '它的容器。'),
  ephemeralContainerStatuses: list(containerStatus, 'Its containers for debugging.', '它的调试容器。'),
  qosClass: word(
    ['Guaranteed', 'Burstable', 'BestEffort'],
    'Who goes first when memory runs out: BestEffort, then Burstable, Guaranteed last.',
    '内存不足时谁先被牺牲：先 BestEffort，再 Burstable，最后 Guaranteed。',
  ),
  observedGeneration: int('Generation of the spec that this is about.', '针对哪个 generation 的 spec。'),
  nominatedNodeName: str('Node on which room is being made for it.', '正在为它腾地方的节点。'),
  resize: str('How a change of resources in place goes.', '原地改变资源的进展。'),
  allocatedResources: anything('What the node has set aside for the pod.', '节点为这个 Pod 预留的资源。'),
  resources: anything('What the pod really has.', '这个 Pod 实际得到的资源。'),
};

/** Not for manifests: the kubelet writes it. */
export const status: SchemaNode = object(
  properties,
  'What became of the pod. The kubelet writes it; in a manifest it is ignored.',
  'Pod 的实际情况。由 kubelet 写入；写在清单里会被忽略。',
  { readOnly: true },
);
