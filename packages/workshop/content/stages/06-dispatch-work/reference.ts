export function dispatchWork({ deleted, phase, containers }: DispatchedPod): Dispatch {
  const containersTerminal = containers.every((c) => c.state !== 'running');
  const podEnded = phase === 'Failed' || phase === 'Succeeded';
  // While a container runs there is work, whatever the phase says: to stop it, and to report its end.
  if (!containersTerminal) return 'UpdatePod';
  if (deleted) return 'TerminatePod';
  return podEnded ? 'ignore' : 'UpdatePod';
}
