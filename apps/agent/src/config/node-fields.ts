/** Fields of a KubeletConfiguration about the node's object and the requests to the API server. */

import { map, object, optional, type Shape } from '@syncloop/core/shape';
import { type NodeTaint, wrongTaint } from './node-words.js';
import { bool, duration, type Field, field, int, listOf, orDefault, string } from './readers.js';

const taint: Shape<NodeTaint> = map(
  object({ key: string, value: optional(string), effect: string }, 'drop'),
  (read, r) => {
    const wrong = wrongTaint(read);
    if (wrong !== null) throw r.error(wrong, 'it must be a taint with key, value and effect');
    return read as NodeTaint;
  },
);

export const nodeFields: Readonly<Record<string, Field>> = {
  registerNode: field(bool, (c, v) => {
    c.kubelet.registerNode = v;
  }),
  registerWithTaints: field(
    listOf(taint, 'taints, each with key and effect NoSchedule, PreferNoSchedule or NoExecute'),
    (c, v) => {
      c.kubelet.registerWithTaints = v;
    },
  ),
  providerID: field(string, (c, v) => {
    c.kubelet.providerID = v;
  }),
  nodeStatusReportFrequency: field(orDefault(duration), (c, v) => {
    c.kubelet.nodeStatusReportFrequency = v;
  }),
  nodeLeaseDurationSeconds: field(orDefault(int(0)), (c, v) => {
    c.kubelet.nodeLeaseDurationSeconds = v;
  }),
  nodeStatusMaxImages: field(int(-1), (c, v) => {
    c.kubelet.nodeStatusMaxImages = v;
  }),
  kubeAPIQPS: field(int(0), (c, v) => {
    c.kubelet.kubeAPIQPS = v;
  }),
  kubeAPIBurst: field(orDefault(int(0)), (c, v) => {
    c.kubelet.kubeAPIBurst = v;
  }),
  eventRecordQPS: field(int(0), (c, v) => {
    c.kubelet.eventRecordQPS = v;
  }),
  eventBurst: field(orDefault(int(0)), (c, v) => {
    c.kubelet.eventBurst = v;
  }),
  podsPerCore: field(int(0), (c, v) => {
    c.kubelet.podsPerCore = v;
  }),
  enableControllerAttachDetach: field(bool, (c, v) => {
    c.kubelet.enableControllerAttachDetach = v;
  }),
  failCgroupV1: field(bool, (c, v) => {
    c.kubelet.failCgroupV1 = v;
  }),
  allowedUnsafeSysctls: field(listOf(string, 'names of sysctls'), (c, v) => {
    c.kubelet.allowedUnsafeSysctls = v;
  }),
};
