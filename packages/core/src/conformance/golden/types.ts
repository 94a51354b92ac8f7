import type { GoldenStep } from './steps.js';

export type UnreadObject = { readonly [key: string]: unknown };

export interface GoldenCall {
  readonly seq: number;
  /** ms since the start. */
  readonly at: number;
  /** Wire name: RunPodSandbox. */
  readonly method: string;
  readonly request: UnreadObject;
  tookMs: number;
  /** Left out of polling calls. */
  response?: UnreadObject;
  error?: { readonly code: number; readonly details: string };
}

export interface GoldenPod {
  readonly name: string;
  readonly uid: string;
  readonly deletionTimestamp: boolean;
  readonly status: UnreadObject;
}

/** A request of the node, as recordings have them. */
export interface GoldenRequest {
  /** ms since the start. */
  readonly at: number;
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly code: number;
  readonly request?: UnreadObject;
}

/** The requests and final objects of an API server, as recordings have them. */
export interface GoldenClusterRecord {
  readonly apiStatus: { readonly at: number; readonly pods: readonly GoldenPod[] }[];
  readonly api: GoldenRequest[];
  readonly kubeEvents: UnreadObject[];
  readonly node?: UnreadObject;
  readonly lease?: UnreadObject;
}

/** A run in the shape of a golden recording. `at` in ms since the start. */
export interface GoldenRecording {
  readonly scenario: string;
  readonly about: string;
  readonly kubelet: string;
  readonly containerd: string;
  readonly steps: readonly GoldenStep[];
  readonly marks: { readonly at: number; readonly step: string; readonly args: readonly unknown[] }[];
  readonly cri: GoldenCall[];
  readonly status: { readonly at: number; readonly pods: readonly GoldenPod[] }[];
  /** `status` holds every change, not samples. */
  readonly everyChange: true;
  /** The log lines at V(4) and below. */
  readonly klog: string[];
  /** Steps that did not come true, in words. */
  readonly problems: string[];
  /** The rest only of runs with an API server. */
  apiStatus?: GoldenClusterRecord['apiStatus'];
  api?: GoldenClusterRecord['api'];
  kubeEvents?: GoldenClusterRecord['kubeEvents'];
  node?: UnreadObject;
  lease?: UnreadObject;
}
