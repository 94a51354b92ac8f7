// Has the pod still work to do? So far each has.
export function dispatchWork(pod: DispatchedPod): Dispatch {
  return 'UpdatePod';
}
