/** What no source tells, and what a twin takes instead, in words. */
import type { Assumption } from '../base/types.js';

type Words = readonly [en: string, zh: string];

/** `%` stands for what it is about. */
const TEXTS = {
  'clock.epoch': [
    'No source tells the wall clock of the run; the twin starts at the beginning of 2026.',
    '没有来源说明运行时的墙上时间；孪生从 2026 年初开始。',
  ],
  'kubelet.version': [
    'No source tells the version of the kubelet; the twin is the newest one.',
    '没有来源说明 kubelet 的版本；孪生采用最新的版本。',
  ],
  'kubelet.dated': [
    'No source tells the version of the kubelet; by the wording of its lines it is %, and the twin is the nearest one.',
    '没有来源说明 kubelet 的版本；按日志措辞判断为 %，孪生采用最接近的版本。',
  ],
  'kubelet.era': [
    'The twin is not a kubelet of % but one of another version; what changed between them may differ.',
    '孪生不是 % 的 kubelet，而是另一个版本；两者之间的改动可能造成差异。',
  ],
  'node.machine': [
    'No source tells how many CPUs and how much memory the machine has; the twin has those of the simulation, or what the pods ask for.',
    '没有来源说明机器的 CPU 数和内存；孪生采用模拟节点的数值，或容器组所请求的数量。',
  ],
  'node.cgroup': [
    'No source tells the cgroup version of the machine; the twin has cgroup v2.',
    '没有来源说明机器的 cgroup 版本；孪生使用 cgroup v2。',
  ],
  'node.config': [
    'The kubelet read a configuration file that no source shows; settings that no line tells are at their defaults.',
    'kubelet 读取了一个配置文件，但没有来源显示其内容；没有日志说明的设置取默认值。',
  ],
  'node.flags': [
    'No source tells the settings of the kubelet; they are at their defaults, except those that its doings show.',
    '没有来源说明 kubelet 的设置；除其行为所显示的之外，均取默认值。',
  ],
  'node.dns': [
    "No source tells the address of the cluster's DNS; there is one, for the kubelet never said that it is missing. The twin takes 10.96.0.10.",
    '没有来源说明集群 DNS 的地址；kubelet 从未报告缺少它，因此它存在。孪生取 10.96.0.10。',
  ],
  'node.phase': [
    'Nothing tells when the kubelet looks at its containers (the relists of the PLEG); the twin takes a moment of its own.',
    '没有来源说明 kubelet 何时查看容器（PLEG 的 relist）；孪生自行选取时刻。',
  ],
  'kubelet.before': [
    'The kubelet ran before what was read begins; the twin starts one, and gives it what it had.',
    '在所读内容开始之前 kubelet 已在运行；孪生启动一个新的 kubelet，并给它当时已有的内容。',
  ],
  'pod.spec': [
    'No list of pods shows %; its specification is what calls and lines tell of it, and defaults.',
    '没有容器组列表显示 %；其规约取自调用和日志所说明的内容以及默认值。',
  ],
  'pod.added': [
    'Nothing tells the moment at which % came; the twin gives it when it was seen first.',
    '没有来源说明 % 出现的时刻；孪生在首次看到它时给出。',
  ],
  'pod.updated': [
    'What changed of % when the kubelet was told of an update is in no list; the twin leaves the update out.',
    'kubelet 收到更新时 % 改变了什么，没有列表说明；孪生略去此次更新。',
  ],
  'pod.removed': [
    'Nothing tells the moment at which % went; the twin takes it away when it was first missing.',
    '没有来源说明 % 消失的时刻；孪生在首次发现它缺失时移除。',
  ],
  'pod.source': [
    'Nothing tells where % came from; the twin has it as a static pod, from a file.',
    '没有来源说明 % 来自何处；孪生将其作为来自文件的静态容器组。',
  ],
  'pod.http': ['% came from a URL; the twin has it from a file.', '% 来自一个 URL；孪生从文件读取它。'],
  'pod.grace': [
    'Nothing tells the grace period with which % was deleted; it is that of its specification.',
    '没有来源说明删除 % 时的宽限期；取其规约中的值。',
  ],
  'container.end': [
    'When container % ended is known only as far as the kubelet noticed it.',
    '容器 % 何时结束，只能由 kubelet 发现它的时刻得知。',
  ],
  'container.code': [
    'No source tells the exit code of container %; the twin takes 0.',
    '没有来源说明容器 % 的退出码；孪生取 0。',
  ],
  'container.probes': [
    'No source tells what every probe of container % came to; those that are not told succeed.',
    '没有来源说明容器 % 每次探测的结果；未说明的视为成功。',
  ],
  'calls.took': [
    'No source tells how long the calls to the runtime took; the twin has the latencies of the mock runtime.',
    '没有来源说明对运行时的调用耗时多久；孪生采用模拟运行时的延迟。',
  ],
  'image.present': [
    'Nothing tells whether image % was on the node; the twin has it there from the start.',
    '没有来源说明镜像 % 是否已在节点上；孪生从一开始就有它。',
  ],
  'image.config': [
    'No source tells the configuration of image % (user, entrypoint); in the twin it runs as root, and until it is stopped.',
    '没有来源说明镜像 % 的配置（用户、入口）；在孪生里它以 root 运行，直到被停止。',
  ],
  'object.when': [
    'Nothing tells when % was created; the twin creates it half-way between when it was missed last and when it was there.',
    '没有来源说明 % 何时创建；孪生在最后一次缺失与首次存在的中间时刻创建它。',
  ],
  'object.data': [
    'No source tells all of what is in %; what is not told is empty.',
    '没有来源说明 % 的全部内容；未说明的部分为空。',
  ],
  'outage.length': [
    'Nothing tells the very moments at which % went and came back; the twin takes the first and the last failure.',
    '没有来源说明 % 离开和恢复的确切时刻；孪生取首次和最后一次失败的时刻。',
  ],
  'cut.head': [
    'The part that is cut out begins in the middle of %; the twin gives it before it begins.',
    '截取的部分从 % 的中途开始；孪生在开始之前给出它。',
  ],
} as const satisfies { readonly [code: string]: Words };
export type AssumptionCode = keyof typeof TEXTS;

export class Assumptions {
  private readonly all = new Map<string, Assumption>();

  /** Once for each code and what it is about. */
  assume(code: AssumptionCode, about = ''): void {
    const key = `${code} ${about}`;
    if (this.all.has(key)) return;
    const [en, zh] = TEXTS[code];
    this.all.set(key, { code, about, text: { en: en.replaceAll('%', about), zh: zh.replaceAll('%', about) } });
  }
  get list(): readonly Assumption[] {
    return [...this.all.values()];
  }
}
