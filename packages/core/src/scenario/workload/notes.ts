/** Notes on a pasted text besides its problems, in both languages. */
import type { LocalText } from '../document/scenario.js';

/** One thing that is worth knowing about what was pasted, at its place in the text. */
export interface Note {
  readonly code: NoteCode;
  readonly params: Readonly<Record<string, string>>;
  /** Offset in the text. */
  readonly from: number;
  /** The text cannot be used because of it. */
  readonly refusal: boolean;
}
export type NoteCode = keyof typeof sentences;

const sentences = {
  controller: {
    en: '{kind} {name} becomes the pod {pod}. There is no controller here: nothing keeps up the number of pods or replaces one. Left out: {fields}.',
    zh: '{kind} {name} 变为 Pod {pod}。这里没有控制器：没有谁维持 Pod 数量或替换 Pod。省略：{fields}。',
  },
  controllerOnly: {
    en: '{kind} {name} becomes the pod {pod}. There is no controller here: nothing replaces it.',
    zh: '{kind} {name} 变为 Pod {pod}。这里没有控制器：没有谁替换它。',
  },
  controllerMany: {
    en: '{kind} {name} becomes the pods {pod}. There is no controller here: nothing keeps up their number or replaces one. Left out: {fields}.',
    zh: '{kind} {name} 变为 Pod {pod}。这里没有控制器：没有谁维持 Pod 数量或替换 Pod。省略：{fields}。',
  },
  controllerOnlyMany: {
    en: '{kind} {name} becomes the pods {pod}. There is no controller here: nothing keeps up their number or replaces one.',
    zh: '{kind} {name} 变为 Pod {pod}。这里没有控制器：没有谁维持 Pod 数量或替换 Pod。',
  },
  claims: {
    en: 'Volume claims of {name} ({claims}) count as bound: each is an empty folder that is deleted with the pod.',
    zh: '{name} 的卷申领（{claims}）视为已绑定：每个都是随 Pod 消失的空目录。',
  },
  inline: {
    en: 'Pod {pod} refers to {objects}. A static pod may not, so their content is written into its manifest; on a node with an API server the references stay.',
    zh: 'Pod {pod} 引用了 {objects}。静态 Pod 不允许引用，因此把其内容写入清单；在带有 API server 的节点上引用保持不变。',
  },
  references: {
    en: 'Pod {pod} refers to {objects}. A static pod may not, so it goes to the API server.',
    zh: 'Pod {pod} 引用了 {objects}。静态 Pod 不允许引用，因此提交给 API server。',
  },
  absent: {
    en: 'Pod {pod} refers to {objects}, which the text does not have: made-up values and empty folders replace them.',
    zh: 'Pod {pod} 引用了 {objects}，但文本中没有：以虚构的值和空目录代替。',
  },
  missing: {
    en: 'Pod {pod} refers to {objects}, which the text does not have: it is missing here, too, and the kubelet says so.',
    zh: 'Pod {pod} 引用了 {objects}，但文本中没有：这里同样缺少，kubelet 会报告。',
  },
  object: { en: '{kind} {name} is used by {pods}.', zh: '{kind} {name} 由 {pods} 使用。' },
  unused: { en: '{kind} {name}: no pod of the text uses it.', zh: '{kind} {name}：文本中没有 Pod 使用它。' },
  windows: {
    en: '{kind} {name} is for Windows nodes, and this node runs Linux: it is left out.',
    zh: '{kind} {name} 面向 Windows 节点，而该节点运行 Linux：已省略。',
  },
  notGenerated: {
    en: '{kind} {name} is left out: its own controller creates its pods, without a pod template.',
    zh: '{kind} {name} 已省略：其 Pod 由自己的控制器生成，没有 Pod 模板。',
  },
  leftOut: { en: '{kind} {name} is left out: {why}.', zh: '{kind} {name} 已省略：{why}。' },
  helm: {
    en: 'This is a template of a Helm chart: {{ ... }} is filled in by Helm. Paste what “helm template” prints.',
    zh: '这是 Helm chart 的模板：{{ ... }} 由 Helm 填入。请粘贴 “helm template” 的输出。',
  },
  values: {
    en: 'This has neither kind nor apiVersion: it looks like the values of a Helm chart. Paste what “helm template” prints.',
    zh: '没有 kind 和 apiVersion：看起来是 Helm chart 的 values。请粘贴 “helm template” 的输出。',
  },
  kustomize: {
    en: 'This is a Kustomization: it names manifests but contains none. Paste what “kubectl kustomize” prints.',
    zh: '这是 Kustomization：只引用清单，本身没有清单。请粘贴 “kubectl kustomize” 的输出。',
  },
  compose: {
    en: 'This is a file of Docker Compose, not of Kubernetes. “kompose convert --stdout” makes manifests of it.',
    zh: '这是 Docker Compose 文件，不是 Kubernetes 清单。“kompose convert --stdout” 可以转换。',
  },
  dockerfile: {
    en: 'This is a Dockerfile: it makes an image. A pod that runs the image is what belongs here.',
    zh: '这是 Dockerfile，用于构建镜像。这里需要的是运行该镜像的 Pod。',
  },
  scenario: {
    en: 'This is a scenario of this program: open it as a file instead.',
    zh: '这是本程序的场景文件：请作为文件打开。',
  },
  noKind: {
    en: 'This has no kind: a manifest begins with apiVersion and kind.',
    zh: '没有 kind：清单以 apiVersion 和 kind 开头。',
  },
  notObject: { en: 'This is not a manifest: {what}.', zh: '这不是清单：{what}。' },
  empty: { en: 'There is nothing in it.', zh: '其中没有内容。' },
  tabs: {
    en: 'Each tab in the indentation was read as two spaces.',
    zh: '缩进中的制表符按每个两个空格读取。',
  },
} as const satisfies Record<string, LocalText>;

/** The reasons why kinds are left out. */
const why: Readonly<Record<string, LocalText>> = {
  Service: {
    en: 'there is no service network here; a pod is reached by its own address',
    zh: '这里没有 Service 网络；通过 Pod 自己的地址访问',
  },
  Ingress: { en: 'there is no ingress controller here', zh: '这里没有 ingress 控制器' },
  NetworkPolicy: { en: 'the pod network here enforces no policies', zh: '这里的 Pod 网络不执行策略' },
  ServiceAccount: {
    en: 'the pods run without one, and send no requests to an API server',
    zh: 'Pod 不使用它运行，也不访问 API server',
  },
  PersistentVolumeClaim: {
    en: 'a pod that uses it gets an empty folder in its place',
    zh: '使用它的 Pod 得到一个空目录',
  },
  PersistentVolume: { en: 'a pod that uses it gets an empty folder in its place', zh: '使用它的 Pod 得到一个空目录' },
  StorageClass: { en: 'nobody provisions volumes here', zh: '这里没有谁供应卷' },
  Namespace: { en: 'pods are in their namespace without it', zh: '没有它 Pod 也在其命名空间中' },
  CustomResourceDefinition: { en: 'it only declares a kind for the API server', zh: '它只向 API server 声明一种资源' },
  HorizontalPodAutoscaler: { en: 'there is one pod, and nothing scales it', zh: '只有一个 Pod，没有谁对它扩缩' },
  VerticalPodAutoscaler: { en: 'nothing changes the resources of pods here', zh: '这里没有谁改变 Pod 的资源' },
  PodDisruptionBudget: { en: 'nobody evicts pods through the API here', zh: '这里没有谁通过 API 驱逐 Pod' },
  PriorityClass: { en: 'a static pod is critical whatever its class', zh: '静态 Pod 无论类别都是关键的' },
  RuntimeClass: { en: 'the node has one runtime', zh: '该节点只有一个运行时' },
  IngressClass: { en: 'there is no ingress controller here', zh: '这里没有 ingress 控制器' },
  LimitRange: { en: 'nobody admits pods by it here', zh: '这里没有谁据此准入 Pod' },
  ResourceQuota: { en: 'nobody admits pods by it here', zh: '这里没有谁据此准入 Pod' },
  APIService: { en: 'it is about the API server', zh: '它与 API server 有关' },
};
const access: LocalText = { en: 'nobody is asked for permission here', zh: '这里不检查权限' };
const admission: LocalText = { en: 'no webhook is called here', zh: '这里不调用 webhook' };
const builtin: LocalText = { en: 'the kubelet does not read this kind', zh: 'kubelet 不读取这种资源' };
const custom: LocalText = {
  en: 'it is a custom resource, and its controller is not here',
  zh: '它是自定义资源，其控制器不在这里',
};

export function whyLeftOut(apiVersion: string, kind: string): LocalText {
  if (Object.hasOwn(why, kind)) return why[kind] as LocalText;
  if (/^(Cluster)?Role(Binding)?$/.test(kind)) return access;
  if (/^(Validating|Mutating)(Webhook|AdmissionPolicy)/.test(kind)) return admission;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const own = group === '' || !group.includes('.') || group.endsWith('.k8s.io');
  return own ? builtin : custom;
}

/** A note as a sentence. */
export function noteText({ code, params }: Note, lang: 'en' | 'zh'): string {
  const local = code === 'leftOut' ? whyLeftOut(params.apiVersion ?? '', params.kind ?? '') : null;
  const all: Record<string, string> = { ...params, ...(local && { why: local[lang] }) };
  // Names in doubled braces are part of the sentence.
  return sentences[code][lang].replace(/(?<!\{)\{(\w+)\}(?!\})/g, (whole, name: string) => all[name] ?? whole);
}
