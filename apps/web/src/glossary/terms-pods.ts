/** Terms of pods: their workers, sandboxes, containers, and how they end. */
import { type Term, termsAt } from './term.js';

const worker = termsAt('workers', 'dispatch');
const sync = termsAt('workers', 'syncpod');
const start = termsAt('workers', 'startcontainer');
const ends = termsAt('workers', 'termination');
const again = termsAt('workers', 'crash-loop');

export const podTerms: readonly Term[] = [
  worker(
    'pod worker',
    'podWorkers worker goroutine 工作协程',
    'podWorkerLoop',
    'Each pod has a worker, a goroutine that does one sync of that pod after the other.',
    '每个 Pod 有一个 worker，即逐次同步该 Pod 的 goroutine。',
  ),
  worker(
    'UpdatePod',
    'dispatchWork pending update 更新',
    'UpdatePod',
    'UpdatePod hands a pod to its worker; an update that still waits is replaced by the newer one.',
    'UpdatePod 把 Pod 交给它的 worker；仍在等待的更新会被较新的更新替换。',
  ),
  termsAt('workers', 'article-worker-states')(
    'worker states',
    'sync terminating terminated worker 状态',
    'completeWork',
    'A worker first syncs its pod, then terminates its containers, and last cleans up after it; it never goes back.',
    'worker 先同步 Pod，再终止其容器，最后做清理；它不会回到之前的状态。',
  ),
  sync(
    'SyncPod',
    'syncPod fifteen steps 同步 Pod',
    'SyncPod',
    'SyncPod brings one pod nearer to what its manifest says, and returns an error if it has to try again.',
    'SyncPod 让一个 Pod 更接近其清单所描述的状态；如果需要重试，就返回错误。',
  ),
  sync(
    'computePodActions',
    'actions plan 计划',
    'computePodActions',
    'computePodActions compares a pod with its containers and decides what to kill, what to start, and if it needs a new sandbox.',
    'computePodActions 比较 Pod 和它的容器，决定终止什么、启动什么、是否需要新的沙箱。',
  ),
  sync(
    'sandbox',
    'pause container RunPodSandbox network namespace 沙箱',
    'createPodSandbox',
    'A sandbox is what the containers of a pod share, above all the network namespace with its IP address.',
    '沙箱是 Pod 的容器所共享的环境，首先是带有 IP 地址的网络命名空间。',
  ),
  start(
    'startContainer',
    'start create pull 启动容器',
    'startContainer',
    'startContainer pulls the image, creates the container, starts it and runs its postStart hook.',
    'startContainer 拉取镜像、创建容器、启动容器，然后运行 postStart 钩子。',
  ),
  start(
    'postStart hook',
    'lifecycle hook handler 钩子',
    'handlerRunner.Run',
    'A postStart hook runs right after a container has started; if it fails, the container is killed.',
    'postStart 钩子在容器启动后立即运行；如果失败，容器会被终止。',
  ),
  termsAt('workers', 'init-sidecars')(
    'init container',
    'initContainers init 初始化容器 init 容器',
    'kuberuntime.SyncPod',
    'Init containers run one after the other, and have to succeed before the other containers start.',
    'init 容器逐个运行，全部成功之后其他容器才会启动。',
  ),
  termsAt('workers', 'init-sidecars')(
    'sidecar',
    'restartable init container Always 边车',
    'kuberuntime.SyncPod',
    'A sidecar is an init container with restartPolicy Always: it starts before the others and runs as long as they do.',
    'sidecar 是 restartPolicy 为 Always 的 init 容器：它先于其他容器启动，并与它们运行得一样久。',
  ),
  sync(
    'ephemeral container',
    'kubectl debug 临时容器',
    'kuberuntime.SyncPod',
    'An ephemeral container is added to a running pod to debug it, and is never restarted.',
    '临时容器被加到运行中的 Pod 用于调试，不会被重启。',
  ),
  termsAt('workers', 'restart')(
    'restart policy',
    'restartPolicy Always OnFailure Never 重启策略',
    'computePodActions',
    'The restart policy says if a container that has ended is started again: Always, OnFailure or Never.',
    '重启策略决定已结束的容器是否重新启动：Always、OnFailure 或 Never。',
  ),
  again(
    'CrashLoopBackOff',
    'crash loop back-off backoff 崩溃 循环 退避',
    'kuberuntime.SyncPod',
    'CrashLoopBackOff means that a container keeps ending, and the kubelet waits before it starts it again.',
    'CrashLoopBackOff 表示容器不断结束，kubelet 要等一段时间才再次启动它。',
  ),
  again(
    'back-off',
    'backoff exponential delay 退避 指数',
    'startContainer',
    'A back-off is a wait that doubles with each failure: 10 s, 20 s, 40 s, up to 5 minutes for containers.',
    '退避是每次失败后加倍的等待：10 秒、20 秒、40 秒，对容器最长 5 分钟。',
  ),
  termsAt('images', 'images')(
    'ImagePullBackOff',
    'ErrImagePull pull image 拉取镜像 失败',
    'EnsureImageExists',
    'ImagePullBackOff means that an image could not be pulled, and the kubelet waits before it tries again.',
    'ImagePullBackOff 表示镜像拉取失败，kubelet 等待之后再试。',
  ),
  termsAt('images', 'images')(
    'pull policy',
    'imagePullPolicy Always IfNotPresent Never 拉取策略',
    'EnsureImageExists',
    'The pull policy says if an image is pulled for each start, only if the node lacks it, or never.',
    '拉取策略决定镜像是每次启动都拉取、仅在节点上没有时拉取，还是从不拉取。',
  ),
  ends(
    'graceful termination',
    'terminationGracePeriodSeconds SIGTERM SIGKILL 优雅终止 宽限期',
    'killContainer',
    'A container that has to end gets SIGTERM first, and SIGKILL when its grace period (30 s by default) is over.',
    '需要结束的容器先收到 SIGTERM，宽限期（默认 30 秒）过后收到 SIGKILL。',
  ),
  ends(
    'preStop hook',
    'lifecycle hook 钩子 停止前',
    'executePreStopHook',
    'A preStop hook runs before a container gets SIGTERM, and its time counts as part of the grace period.',
    'preStop 钩子在容器收到 SIGTERM 之前运行，其用时计入宽限期。',
  ),
  ends(
    'SyncTerminatingPod',
    'terminating kill pod 终止中',
    'SyncTerminatingPod',
    'SyncTerminatingPod stops the containers of a pod that ends, and returns when none of them runs.',
    'SyncTerminatingPod 停止即将结束的 Pod 的容器，等到没有容器运行时返回。',
  ),
  ends(
    'SyncTerminatedPod',
    'terminated cleanup 已终止',
    'SyncTerminatedPod',
    'SyncTerminatedPod unmounts the volumes of an ended pod, removes its cgroups and writes its last status.',
    'SyncTerminatedPod 卸载已结束的 Pod 的卷，移除其 cgroup，并写入最后的状态。',
  ),
  termsAt('workers', 'postmortem-forced-delete')(
    'force delete',
    '--force --grace-period=0 强制删除',
    'HandlePodRemoves',
    'A forced delete removes a pod from the API at once, while its containers may still run on the node.',
    '强制删除立即从 API 中移除 Pod，而它的容器可能仍在节点上运行。',
  ),
];
