import type { LocalText } from '../../scenario/document/scenario.js';

/** A lesson as it stands in the list, before its text is loaded. */
export interface LibraryLesson {
  readonly name: string;
  readonly title: LocalText;
  readonly summary: LocalText;
  readonly minutes: number;
  /** Its YAML, as parseLesson takes it. */
  load(): Promise<string>;
}

/** Lessons that come with the program, in the order to take them. Title, summary and minutes are those of their texts. */
export const lessons: readonly LibraryLesson[] = [
  {
    name: 'syncloop',
    title: { en: 'The loop', zh: '主循环' },
    summary: {
      en: 'One goroutine decides everything that happens to pods. See what it waits for, what it hands on, and how it holds back while the runtime is away.',
      zh: 'Pod 的一切都由一个 goroutine 决定。看它在等什么、把什么交出去，以及运行时不在时它怎样收手。',
    },
    minutes: 8,
    load: () => import('./syncloop.js').then((m) => m.syncloop),
  },
  {
    name: 'channels',
    title: { en: 'Eight channels and one select', zh: '八个通道和一个 select' },
    summary: {
      en: 'What each input of the loop brings, how much it holds, and what happens when several are ready while the loop is busy.',
      zh: '循环的每个输入带来什么、能装多少，以及循环正忙时几个输入同时就绪会怎样。',
    },
    minutes: 8,
    load: () => import('./channels.js').then((m) => m.channels),
  },
  {
    name: 'startup',
    title: { en: 'How a kubelet starts', zh: 'kubelet 怎样启动' },
    summary: {
      en: 'Goroutines start side by side, and hardly anything waits for anything. See the one gate before the loop, who opens it, and why a network that is not ready holds back pods but not the loop.',
      zh: 'goroutine 一个个并排启动，几乎谁也不等谁。看循环前面的那一道闸门、由谁打开，以及为什么网络没就绪会挡住 Pod，却挡不住循环。',
    },
    minutes: 8,
    load: () => import('./startup.js').then((m) => m.startup),
  },
  {
    name: 'config-ops',
    title: { en: 'From a source to an operation', zh: '从来源到操作' },
    summary: {
      en: 'Sources say what pods there are, PodConfig says what has changed. Follow one pod through ADD, RECONCILE, UPDATE, DELETE and REMOVE, and see why DELETE is handled as an update.',
      zh: '来源只说有哪些 Pod，PodConfig 才说什么变了。跟着一个 Pod 走完 ADD、RECONCILE、UPDATE、DELETE 和 REMOVE，看看为什么 DELETE 当作更新来处理。',
    },
    minutes: 9,
    load: () => import('./config-ops.js').then((m) => m.configOps),
  },
  {
    name: 'dispatch',
    title: { en: 'From the loop to the worker', zh: '从循环到 worker' },
    summary: {
      en: "How an update reaches a pod's own goroutine, what becomes of updates that come while it is busy, and why it waits for a newer view of the runtime before each round.",
      zh: '一个更新怎样到达 Pod 自己的 goroutine，它正忙时来的更新会怎样，以及它每一轮之前为什么要等一份更新的运行时视图。',
    },
    minutes: 9,
    load: () => import('./dispatch.js').then((m) => m.dispatch),
  },
  {
    name: 'syncpod',
    title: { en: 'SyncPod, step by step', zh: '一步一步看 SyncPod' },
    summary: {
      en: 'One round of SyncPod on a new pod, one with nothing to do, and one after a new image. What comes before the runtime is asked, and how computePodActions decides all of it beforehand.',
      zh: 'SyncPod 的三轮：新 Pod 的一轮、无事可做的一轮、换了镜像的一轮。请求运行时之前要做什么，computePodActions 又怎样事先定下一切。',
    },
    minutes: 10,
    load: () => import('./syncpod.js').then((m) => m.syncpod),
  },
  {
    name: 'startcontainer',
    title: { en: 'startContainer, and how it fails', zh: 'startContainer 和它的失败' },
    summary: {
      en: 'Pull, create, start, postStart. One container fails in each of the four steps in turn, and leaves another reason each time.',
      zh: '拉镜像、创建、启动、postStart。同一个容器依次在这四步里各失败一次，每次留下不同的原因。',
    },
    minutes: 10,
    load: () => import('./startcontainer.js').then((m) => m.startcontainer),
  },
  {
    name: 'pleg',
    title: { en: 'How the kubelet sees a container die', zh: 'kubelet 怎样看到容器死掉' },
    summary: {
      en: 'The PLEG lists, compares and tells. Follow a killed process from the runtime to plegCh, and work out how late the news is.',
      zh: 'PLEG 列出、比较、通知。跟着一个被杀的进程，从运行时一直到 plegCh，并算出消息迟到了多久。',
    },
    minutes: 9,
    load: () => import('./pleg.js').then((m) => m.pleg),
  },
  {
    name: 'probes',
    title: { en: 'Three probes, three channels', zh: '三种探针，三个通道' },
    summary: {
      en: 'Startup, liveness and readiness on one container. See who runs them, when a failure counts, what reaches the loop, and who kills the container in the end.',
      zh: '同一个容器上的启动、存活和就绪探针。看看谁在运行它们、失败何时才算数、什么会到达循环，以及最后由谁杀掉容器。',
    },
    minutes: 10,
    load: () => import('./probes.js').then((m) => m.probes),
  },
  {
    name: 'termination',
    title: { en: 'How a pod is stopped', zh: 'Pod 怎样停下来' },
    summary: {
      en: "From the deletion in the API server to the last trace of the pod. See the grace period being spent, who sends SIGTERM and SIGKILL, and the worker's way from sync to finished.",
      zh: '从 API server 里的删除，到 Pod 的最后一点痕迹。看看宽限期怎么花掉、谁发 SIGTERM 和 SIGKILL，以及 worker 从 sync 到 finished 的路。',
    },
    minutes: 10,
    load: () => import('./termination.js').then((m) => m.termination),
  },
  {
    name: 'housekeeping',
    title: { en: 'Housekeeping, and why it waits', zh: 'housekeeping，以及它为什么要等' },
    summary: {
      en: 'Every 2 s the kubelet compares what should be with what runs. Restart it while the API server is away, and see what it must not clean up before every source has been heard.',
      zh: 'kubelet 每 2 秒比较一次应该有的和正在运行的。在 API server 不可用时重启它，看看在听过每个来源之前，有什么是它不能清理的。',
    },
    minutes: 9,
    load: () => import('./housekeeping.js').then((m) => m.housekeeping),
  },
  {
    name: 'crash-loop',
    title: { en: 'Back-off, and what the status says of it', zh: '退避，以及它在状态里的样子' },
    summary: {
      en: 'A container that fails again and again is restarted later and later. See where the wait is kept, from when it counts, why it lasts longer than it says, and what makes the kubelet forget it.',
      zh: '反复失败的容器，重启得越来越晚。看看这个等待记在哪里、从何时算起、为什么实际比它说的更长，以及什么会让 kubelet 忘掉它。',
    },
    minutes: 8,
    load: () => import('./crash-loop.js').then((m) => m.crashLoop),
  },
  {
    name: 'images',
    title: { en: 'Pulling an image, and failing at it', zh: '拉取镜像，以及拉取失败' },
    summary: {
      en: 'Before a container is created its image must be there. Follow a pull that fails, tell ErrImagePull from ImagePullBackOff, and see what the pull policy decides and what the back-off does not stop.',
      zh: '创建容器之前，镜像得在节点上。跟着一次失败的拉取，分清 ErrImagePull 和 ImagePullBackOff，看看拉取策略决定什么，退避又拦不住什么。',
    },
    minutes: 9,
    load: () => import('./images.js').then((m) => m.images),
  },
  {
    name: 'init-sidecars',
    title: { en: 'Init containers and sidecars', zh: 'Init 容器与 sidecar' },
    summary: {
      en: 'How the kubelet finds out, in every pass anew, which init container is next; what a sidecar holds up and what it does not; and when all of them run again.',
      zh: 'kubelet 怎样在每一轮里重新推断下一个该轮到哪个 init 容器；sidecar 会挡住什么、不挡什么；以及什么时候它们全部重来。',
    },
    minutes: 8,
    load: () => import('./init-sidecars.js').then((m) => m.initSidecars),
  },
  {
    name: 'static-pods',
    title: { en: 'Static pods and their mirrors', zh: '静态 Pod 与镜像 Pod' },
    summary: {
      en: 'A file is enough for a pod. See where its uid comes from, what its mirror in the API is good for, and why an edit is not an update but another pod.',
      zh: '一个文件就够一个 Pod。看它的 uid 从哪里来，API 里的镜像 Pod 有什么用，以及为什么改文件不是更新，而是换了一个 Pod。',
    },
    minutes: 9,
    load: () => import('./static-pods.js').then((m) => m.staticPods),
  },
  {
    name: 'restart',
    title: { en: 'What a kubelet restart forgets', zh: 'kubelet 重启会忘掉什么' },
    summary: {
      en: 'The kubelet dies, the containers do not. See how the next one learns from files and runtime what there is, why it starts nothing anew, and which of its knowledge is gone for good.',
      zh: 'kubelet 死了，容器没死。看下一个 kubelet 怎样从文件和运行时得知现状，为什么什么都不重新启动，又有哪些记忆就此丢失。',
    },
    minutes: 9,
    load: () => import('./restart.js').then((m) => m.restart),
  },
  {
    name: 'select-races',
    title: { en: 'One moment, several futures', zh: '同一时刻，几种未来' },
    summary: {
      en: 'A container dies in the same moment as its manifest goes. What the kubelet does depends on which channel the select draws first. Take the other case, compare both futures, and find a third.',
      zh: '容器死掉的同时，清单也没了。kubelet 接下来做什么，要看 select 先抽到哪个通道。改取另一个分支，比较两种未来，再找出第三种。',
    },
    minutes: 10,
    load: () => import('./select-races.js').then((m) => m.selectRaces),
  },
];
