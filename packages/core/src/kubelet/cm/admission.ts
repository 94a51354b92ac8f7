import { messageOf } from '../../base/index.js';
import { no, type PodAdmitResult } from '../admission/types.js';

/** An error that names the reason of the refusal. upstream: pkg/kubelet/cm/admission Error */
export class AdmissionError extends Error {
  constructor(
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** Refuses a pod for what allocating its resources threw. upstream: pkg/kubelet/cm/admission GetPodAdmitResult */
export function podAdmitResultOf(err: unknown): PodAdmitResult {
  if (err instanceof AdmissionError) return no(err.reason, err.message);
  return no('UnexpectedAdmissionError', `Allocate failed due to ${messageOf(err)}, which is unexpected`);
}
