/**
 * The stops of the tour, in their order in every version of the kubelet. `where`: the run goes forward to the first
 * record for which it holds; `$uid` stands for the pod that is followed, which is known from the stop `config` on.
 */
export const STOPS = [
  { id: 'manifest', fn: 'sourceFile.listConfig', where: 'kind == "source" && len(record.pods) > 0' },
  { id: 'config', fn: 'PodStorage.Merge', where: 'kind == "pod-config" && record.op == "ADD" && len(record.pods) > 0' },
  { id: 'select', fn: 'syncLoopIteration', where: 'kind == "select" && channel.name == "configCh"' },
  { id: 'handler', fn: 'HandlePodAdditions', where: 'kind == "enter" && fn == "HandlePodAdditions"' },
  { id: 'worker', fn: 'UpdatePod', where: 'kind == "pod-update" && record.uid == $uid' },
  { id: 'sync', fn: 'SyncPod', where: 'kind == "work-start" && record.uid == $uid' },
  { id: 'actions', fn: 'computePodActions', where: 'kind == "pod-actions" && record.uid == $uid' },
  { id: 'sandbox', fn: 'createPodSandbox', where: 'kind == "cri-call" && method == "RunPodSandbox" && uid == $uid' },
  {
    id: 'image',
    fn: 'EnsureImageExists',
    where: 'kind == "step" && record.name == "pull image" && record.uid == $uid',
  },
  { id: 'create', fn: 'startContainer', where: 'kind == "cri-call" && method == "CreateContainer" && uid == $uid' },
  { id: 'start', fn: 'startContainer', where: 'kind == "cri-return" && method == "StartContainer" && uid == $uid' },
  {
    id: 'pleg',
    fn: 'GenericPLEG.Relist',
    where: 'kind == "pleg-event" && record.type == "ContainerStarted" && record.uid == $uid',
  },
  {
    id: 'status',
    fn: 'SetPodStatus',
    where: 'kind == "status" && record.uid == $uid && record.status.phase == "Running"',
  },
] as const;
export type Stop = (typeof STOPS)[number];

/** The expression of a stop for a pod; `uid` may be '' before it is known. */
export const whereOf = ({ where }: Pick<Stop, 'where'>, uid: string): string =>
  where.replaceAll('$uid', JSON.stringify(uid));
