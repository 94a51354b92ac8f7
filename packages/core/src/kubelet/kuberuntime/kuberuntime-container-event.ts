import type { Container, Pod } from '../../api/types.js';
import { containerFieldPath, implicitContainerPrefix } from '../container/helpers.js';
import type { EventRecorder } from '../events.js';

/**
 * Records an event of a container; its ID in the text becomes its name, so that equal events count as one (fidelity
 * 2:T-14).
 * upstream: recordContainerEvent
 */
export function recordContainerEvent(
  m: { readonly recorder: EventRecorder },
  pod: Pod,
  container: Container,
  containerID: string,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  const fieldPath = containerFieldPath(pod, container);
  // A container that the pod does not name has no events. upstream: FilterEventRecorder
  if (fieldPath.startsWith(implicitContainerPrefix)) return;
  const text = containerID === '' ? message : message.replaceAll(containerID, container.name);
  m.recorder.event(pod, type, reason, text, fieldPath);
}
