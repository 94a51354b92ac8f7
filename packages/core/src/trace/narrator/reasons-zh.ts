/** 记录里由 kubelet 代码写下的英文短语：步骤的名字、理由、状态的原因。没有的就原样引用。 */
import { quote } from './parts.js';

const phrases: Readonly<Record<string, string>> = {
  // worker
  'first seen': '第一次见到它',
  'first update': '第一个更新',
  forgotten: '被遗忘',
  'pending termination': '等待终止',
  'kill what should not run': '停掉不该运行的',
  'first seen, and nothing of it runs': '第一次见到它，而它没有任何东西在运行',
  'Pod is being removed by the kubelet, begin teardown': 'kubelet 要移除它，开始拆除',
  'Pod terminated all containers successfully': '所有容器都已停止',
  'Pod is complete and the worker can now stop': '一切收尾完毕，worker 可以结束',
  'Pod has been terminated and is no longer known to the kubelet, remove all history':
    '它已终止，kubelet 已没有它的记录，删除它的全部历史',
  'Pod indicated lifecycle completed naturally and should now terminate': '它已自行运行结束，现在该终止',
  'told to terminate before it ever started': '还没启动过就被要求终止',
  'Pod has been terminated but another pod with the same UID was created, remove history to allow restart':
    '它已终止，但又有同一 UID 的 Pod，删除历史以便重新开始',
  'Pod is marked for graceful deletion, begin teardown': '它被标记为优雅删除，开始拆除',
  'Pod is being evicted by the kubelet, begin teardown': 'kubelet 要驱逐它，开始拆除',
  'Pod is orphaned and must be torn down': '没有任何来源再提到它，必须拆除',
  'Pod is orphaned and still running, began terminating': '没有任何来源再提到它，而它还在运行，开始终止',
  'Pod terminated all orphaned containers successfully and worker can now stop':
    '没有来源的容器都已停止，worker 可以结束',
  // 步骤
  'resize condition': '调整大小的状况',
  'terminal check': '是否已到终态',
  'network check': '检查网络',
  'pod IPs': 'Pod 的 IP',
  'generateAPIPodStatus, terminal': 'generateAPIPodStatus（已到终态）',
  'SetPodStatus, terminal': 'SetPodStatus（已到终态）',
  'register secrets and configmaps': '登记 Secret 和 ConfigMap',
  'pod cgroup': 'Pod 的 cgroup',
  'mirror pod': '镜像 Pod',
  'data directories': '数据目录',
  volumes: '卷',
  'pull secrets': '拉取镜像用的 Secret',
  probes: '探针',
  'container runtime': '容器运行时',
  'compute sandbox and container changes': '算出沙箱和容器该有的改动',
  'kill pod': '杀掉 Pod',
  'create sandbox': '创建沙箱',
  'sandbox ready callback': '沙箱就绪的回调',
  'start container': '启动容器',
  'pull image': '拉取镜像',
  'create container': '创建容器',
  'reason cache': '原因缓存',
  'stop liveness and startup probes': '停止存活探针和启动探针',
  'remove probes': '移除探针',
  'read final state': '读取最后的状态',
  'unmount volumes': '卸载卷',
  'volume paths': '卷的路径',
  'unregister secrets and configmaps': '注销 Secret 和 ConfigMap',
  'destroy cgroup': '销毁 cgroup',
  'release user namespace': '释放用户命名空间',
  'start init container': '启动 init 容器',
  'kill unwanted containers': '杀掉不再要的容器',
  'start ephemeral container': '启动临时容器',
  'resize running containers': '调整运行中容器的大小',
  'postStart hook': 'postStart 钩子',
  // 排队的原因
  resync: '定期再同步',
  'back-off expires': '退避到期',
  'phase transition': '阶段变了',
  'cannot start yet': '还不能启动',
  'sync error': '同步出错',
  'network not ready': '网络未就绪',
  // 判断的理由
  'a container waits for its first start': '有容器还没启动过',
  'there is no sandbox': '没有沙箱',
  'a container is running': '有容器在运行',
  'the newest sandbox is ready': '最新的沙箱就绪',
  'the newest sandbox is not ready': '最新的沙箱未就绪',
  'a stopped container will be restarted': '停下的容器会重新启动',
  'an init container has not finished': '有 init 容器还没结束',
  'an init container failed and will not be restarted': '有 init 容器失败，且不再重启',
  'no container ID in the status': '状态里没有容器 ID',
  'a sidecar has not started': '有 sidecar 还没启动',
  'it has no status: never started, or forgotten': '它没有状态：从未启动，或已被忘记',
  'on hold until there is a new container': '等到有新容器为止',
  'within initialDelaySeconds': '还在 initialDelaySeconds 之内',
  'no status for the pod': '没有这个 Pod 的状态',
  'the container has not started': '容器还没启动',
  'it ran before the kubelet started: no initial result': '它在 kubelet 启动之前就在运行：没有初始结果',
  'neither is set': '两者都没有设置',
  // 管理器
  'it only keeps statuses: no API server': '它只保存状态：没有 API server',
  "the host's own figures stand in for it": '用主机自己的数字代替',
  'without handlers: no CSI drivers, no device or DRA plug-ins': '没有处理者：没有 CSI 驱动，也没有设备或 DRA 插件',
  'for device plug-ins; no CSI drivers, no DRA plug-ins': '用于设备插件；没有 CSI 驱动，也没有 DRA 插件',
  'below /logs/ no file of the node is served, as with enableSystemLogHandler: false':
    '/logs/ 下不提供节点的文件，等同于 enableSystemLogHandler: false',
  'below /logs/ no file of the node is served, as with enableSystemLogHandler: false; NodeLogQuery wants enableSystemLogQuery too':
    '/logs/ 下不提供节点的文件，等同于 enableSystemLogHandler: false；NodeLogQuery 还需要 enableSystemLogQuery',
  'below /logs/, with queries for logs of services': '在 /logs/ 下，支持按服务查询日志',
  'below /logs/, without queries': '在 /logs/ 下，不支持查询',
  'no cloud provider is configured': '没有配置云厂商',
  'made: /var/log/containers': '已创建 /var/log/containers',
  'was there: /var/log/containers': '/var/log/containers 已经存在',
  'the server makes its own certificate: serverTLSBootstrap is off': '服务端自己生成证书：serverTLSBootstrap 未开启',
  'this node has no packet filter: no chain and no rule is made': '这个节点没有包过滤：不创建任何链和规则',
  'no systemd asks it for signs of life': '没有 systemd 要求它报到',
};

/** 带数字或名字的短语。 */
const shapes: readonly (readonly [RegExp, (found: readonly string[]) => string])[] = [
  [/^it exited (\d+), restartPolicy (\w+)$/, ([, code, policy]) => `它以 ${code} 退出，restartPolicy 为 ${policy}`],
  [/^it exited (\d+), its rule (\w+)$/, ([, code, rule]) => `它以 ${code} 退出，规则为 ${rule}`],
  [/^all exited (\d+)$/, ([, code]) => `全都以 ${code} 退出`],
  [/^all stopped for good, not all exited (\d+)$/, ([, code]) => `全都停下不再启动，并非都以 ${code} 退出`],
  [/^terminal, all exited (\d+)$/, ([, code]) => `已到终态，全都以 ${code} 退出`],
  [/^terminal, not all exited (\d+)$/, ([, code]) => `已到终态，并非都以 ${code} 退出`],
  [/^initial result (\w+)$/, ([, result]) => `初始结果 ${result}`],
  [/^its state is (\w+)$/, ([, state]) => `它的状态是 ${state}`],
];

/** 一个短语的中文；不认识的原样引用。 */
export function reasonZh(text: string): string {
  if (Object.hasOwn(phrases, text)) return phrases[text] as string;
  for (const [shape, words] of shapes) {
    const found = shape.exec(text);
    if (found) return words(found);
  }
  return quote(text);
}
