import { describe, expect, it } from 'vitest';
import { isOfRuntime, placeOfFile } from './place-of-file.js';

describe('the place of a file’s functions', () => {
  it('is a part of the map, a lane, or unknown; in older kubelets, too', () => {
    expect(placeOfFile('kubelet/pleg/generic.ts')).toBe('pleg');
    expect(placeOfFile('kubelet/eras/v1.21/pod-workers.ts')).toBe('workers');
    expect(placeOfFile('kubelet/kuberuntime/compute-pod-actions.ts')).toBe('workers');
    expect(placeOfFile('kernel/kernel.ts')).toBeNull();
  });
  it('is the column of the container runtime’s manager for its own files', () => {
    expect(isOfRuntime('kubelet/kuberuntime/compute-pod-actions.ts')).toBe(true);
    expect(isOfRuntime('kubelet/eras/v1.21/kuberuntime/sync-pod.ts')).toBe(true);
    expect(isOfRuntime('kubelet/sync-pod.ts')).toBe(false);
    expect(isOfRuntime('kubelet/podworkers/worker.ts')).toBe(false);
  });
});
