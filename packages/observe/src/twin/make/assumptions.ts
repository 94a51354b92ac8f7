/** The texts of what no source reports, and of what a twin assumes instead. */
import type { Assumption } from '../base/types.js';

type Words = readonly [en: string, zh: string];

/** `%` stands for the pod, container or object of the assumption. */
const TEXTS = {
  'clock.epoch': [
    'No source reports the wall-clock time of the run; the twin starts at the beginning of 2026.',
    '没有来源说明运行时的实际时间；孪生从 2026 年初开始。',
  ],
  'kubelet.version': [
    'No source reports the version of the kubelet; the twin runs the newest one.',
    '没有来源说明 kubelet 的版本；孪生采用最新的版本。',
  ],
  'kubelet.dated': [
    'No source reports the version of the kubelet; its log lines and statuses are those of %, and the twin runs the nearest version.',
    '没有来源说明 kubelet 的版本；从日志措辞和状态字段推断为 %，孪生采用最接近的版本。',
  ],
  'kubelet.era': [
    'The twin does not run kubelet % but another version; what changed between the two may cause differences.',
    '孪生运行的不是 % 的 kubelet，而是另一个版本；两个版本之间的改动可能造成差异。',
  ],
  'kubelet.emulated': [
    'The twin has the gates, fields and rules of v%, which was asked for, as far as they decide something.',
    '孪生采用所要求的 v% 的特性门控、字段和规则，限于影响决定的部分。',
  ],
  'node.machine': [
    'No source reports the CPUs and the memory of the machine; the twin uses those of a simulated node, or what the pods request.',
    '没有来源说明机器的 CPU 数和内存；孪生采用模拟节点的数值，或 Pod 所请求的数量。',
  ],
  'node.cgroup': [
    'No source reports the cgroup version of the machine; the twin uses cgroup v2.',
    '没有来源说明机器的 cgroup 版本；孪生使用 cgroup v2。',
  ],
  'node.config': [
    'The kubelet read a configuration file whose content no source shows; settings that no log line reports have their defaults.',
    'kubelet 读取了一个配置文件，但没有来源显示其内容；日志未说明的设置取默认值。',
  ],
  'node.flags': [
    'No source reports the settings of the kubelet; they have their defaults, except those that follow from what it did.',
    '没有来源说明 kubelet 的设置；除可由其行为推断的之外，均取默认值。',
  ],
  'node.dns': [
    "No source reports the address of the cluster's DNS. It exists, because the kubelet never reported it missing; the twin uses 10.96.0.10.",
    '没有来源说明集群 DNS 的地址；kubelet 从未报告缺少该地址，说明它存在。孪生取 10.96.0.10。',
  ],
  'node.phase': [
    'No source reports when the kubelet looks at its containers (the relists of the PLEG); the twin chooses the moments itself.',
    '没有来源说明 kubelet 何时查看容器（PLEG 的 relist）；孪生自行选取时刻。',
  ],
  'kubelet.before': [
    'The kubelet was already running when the sources begin; the twin starts a new kubelet with what was on the node then.',
    '来源开始之前 kubelet 已在运行；孪生启动一个新的 kubelet，并给它当时节点上已有的内容。',
  ],
  'pod.spec': [
    'No list of pods contains %; its specification is made of what calls and log lines report, and of defaults.',
    '没有任何 Pod 列表包含 %；其规约由调用和日志所说明的内容以及默认值构成。',
  ],
  'pod.added': [
    'No source reports when % was added; the twin adds it when it was first seen.',
    '没有来源说明 % 何时加入；孪生在首次看到它时加入。',
  ],
  'pod.updated': [
    'The kubelet received an update of %, but no list shows what changed; in the twin only that changes which the kubelet then acted on.',
    'kubelet 收到了 % 的更新，但没有列表显示改变了什么；孪生中只改变 kubelet 随后据以行动的内容。',
  ],
  'pod.removed': [
    'No source reports when % was removed; the twin removes it when it was first missing.',
    '没有来源说明 % 何时被移除；孪生在首次发现它缺失时移除。',
  ],
  'pod.source': [
    'No source reports where % came from; the twin runs it as a static pod from a file.',
    '没有来源说明 % 来自何处；孪生将其作为来自文件的静态 Pod。',
  ],
  'pod.http': ['% came from a URL; the twin reads it from a file.', '% 来自一个 URL；孪生从文件读取它。'],
  'pod.grace': [
    'No source reports the grace period with which % was deleted; the twin uses that of its specification.',
    '没有来源说明删除 % 时的宽限期；孪生取其规约中的值。',
  ],
  'container.end': [
    'The end of container % is known only from the moment at which the kubelet noticed it.',
    '容器 % 何时结束，只能由 kubelet 发现它的时刻得知。',
  ],
  'container.code': [
    'No source reports the exit code of container %; the twin uses 0.',
    '没有来源说明容器 % 的退出码；孪生取 0。',
  ],
  'container.probes': [
    'No source reports the result of every probe of container %; in the twin, a probe without a reported result succeeds.',
    '没有来源说明容器 % 每次探测的结果；在孪生中，结果未知的探测视为成功。',
  ],
  'calls.took': [
    'No source reports how long the calls to the runtime took; the twin uses the latencies of the mock runtime.',
    '没有来源说明对运行时的调用耗时多久；孪生采用模拟运行时的延迟。',
  ],
  'image.present': [
    'No source reports whether image % was on the node; in the twin it is there from the start.',
    '没有来源说明镜像 % 是否已在节点上；在孪生中它从一开始就存在。',
  ],
  'image.config': [
    'No source reports the configuration of image % (user, entrypoint); in the twin it runs as root until it is stopped.',
    '没有来源说明镜像 % 的配置（用户、入口）；在孪生里它以 root 运行，直到被停止。',
  ],
  'object.when': [
    'No source reports when % was created; the twin creates it half-way between the last time it was missing and the first time it was there.',
    '没有来源说明 % 何时创建；孪生在最后一次缺失与首次存在的中间时刻创建它。',
  ],
  'object.data': [
    'No source reports the whole content of %; what is not reported is empty.',
    '没有来源说明 % 的全部内容；未说明的部分为空。',
  ],
  'outage.length': [
    'No source reports exactly when % went down and came back; the twin uses the times of the first and the last failure.',
    '没有来源说明 % 中断和恢复的确切时刻；孪生取首次和最后一次失败的时刻。',
  ],
  'cut.head': [
    'The selected part begins in the middle of %; the twin gives it to the kubelet before that part begins.',
    '截取的部分从 % 的中途开始；孪生在该部分开始之前就把它交给 kubelet。',
  ],
} as const satisfies { readonly [code: string]: Words };
export type AssumptionCode = keyof typeof TEXTS;

export class Assumptions {
  private readonly all = new Map<string, Assumption>();

  /** Adds an assumption; one with the same code and subject is added only once. */
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
