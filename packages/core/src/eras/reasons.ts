/** Why two versions differ: changes of design, and of fields. */
import { changes, linkOf, minorOf } from '../changes/index.js';
import type { EraVersion } from '../kubelet/era/types.js';
import type { EraReason, EraText } from './types.js';

/** Changes of fields and words, which the list of changes (`changes`) does not tell of. */
const fields = [
  {
    id: 'status-kept',
    since: 'v1.22',
    title: { en: 'A status keeps what it said', zh: '状态保留已有内容' },
    text: {
      en: 'A status keeps its reason and its conditions; before, it was made anew, and that of an evicted pod had no conditions.',
      zh: '状态保留其原因和 conditions；此前每次重新生成，被驱逐 Pod 的状态没有 conditions。',
    },
  },
  {
    id: 'disruption-target',
    since: 'v1.26',
    title: { en: 'The condition DisruptionTarget', zh: '条件 DisruptionTarget' },
    text: {
      en: 'A pod that is ended for the sake of others has the condition DisruptionTarget.',
      zh: '因他人而被终止的 Pod 带有 DisruptionTarget 条件。',
    },
  },
  {
    id: 'sidecars',
    since: 'v1.29',
    title: { en: 'Sidecars', zh: '边车' },
    text: {
      en: 'Init containers with restartPolicy Always run beside the others and end after them; before, the field was not known.',
      zh: 'restartPolicy 为 Always 的 init 容器与其他容器并行，并在它们之后结束；此前没有这个字段。',
    },
  },
  {
    id: 'image-name',
    since: 'v1.29',
    title: { en: 'Requests name the image as the pod does', zh: '请求中的镜像名与 Pod 一致' },
    text: {
      en: "A container's request has the name of its image as the pod has it; before, it had the image's id alone.",
      zh: '容器的请求带有 Pod 里的镜像名；此前只有镜像 ID。',
    },
  },
  {
    id: 'user-namespaces',
    since: 'v1.33',
    title: { en: 'Requests tell the user namespace', zh: '请求说明用户命名空间' },
    text: {
      en: "Requests say which user namespace a pod is in, also where it is the node's.",
      zh: '请求说明 Pod 所在的用户命名空间，即使是节点的。',
    },
  },
  {
    id: 'resize',
    since: 'v1.33',
    title: { en: 'Resize in place', zh: '原地调整资源' },
    text: {
      en: 'The resources of a running pod can be changed; before, the gate was off.',
      zh: '可以更改运行中 Pod 的资源；此前该特性门控是关闭的。',
    },
  },
  {
    id: 'masked-paths',
    since: 'v1.36',
    title: { en: 'Masked and read-only paths', zh: '屏蔽路径和只读路径' },
    text: {
      en: "The lists of a container's masked and read-only paths are others.",
      zh: '容器的屏蔽路径和只读路径列表不同。',
    },
  },
  {
    id: 'sandbox-ready-first',
    since: 'v1.36',
    title: { en: 'A ready sandbox is told at once', zh: '沙箱就绪立刻写入状态' },
    text: {
      en: 'A status says that the sandbox is ready before images are pulled; before, the next sync said so.',
      zh: '在拉取镜像之前状态就说明沙箱已就绪；此前由下一次同步说明。',
    },
  },
] as const satisfies readonly { id: string; since: `v1.${number}`; title: EraText; text: EraText }[];

/** All of them by id, whatever the versions are. */
export const reasons: ReadonlyMap<string, EraReason & { has(era: EraVersion): boolean }> = new Map(
  [
    ...fields.map((field) => ({ ...field, links: [], listed: false, has: since(field.since) })),
    ...changes.map(({ id, since: first, until, title, after, upstream }) => {
      const begun = since(first);
      const over = until ? since(until) : () => false;
      const has = (era: EraVersion) => begun(era) && !over(era);
      return { id, since: first, title, text: after, links: upstream.map(linkOf), listed: true, has };
    }),
  ].map((one) => [one.id, one]),
);

function since(first: `v1.${number}`): (era: EraVersion) => boolean {
  return (era) => minorOf(era) >= minorOf(first);
}
