/** Good, bad or on its way: by the word of a pod's STATUS. */
export function toneOf(status: string): 'good' | 'bad' | 'moving' | undefined {
  if (status === 'Running' || status === 'Completed' || status === 'Succeeded') return 'good';
  if (/^(Pending|ContainerCreating|PodInitializing|Terminating|NotReady|Init:\d+\/\d+)$/.test(status)) return 'moving';
  return status === '' ? undefined : 'bad';
}
