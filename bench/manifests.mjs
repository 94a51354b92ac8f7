/** Manifests for the benchmarks of the simulated kubelet: pods that stay, and pods that crash. */

/** The number of pods that a node takes by default. */
export const PODS = 110;

export const manifest = (i, container) => `apiVersion: v1
kind: Pod
metadata:
  name: p${i}
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: app
      image: localhost/busybox:dev
      imagePullPolicy: IfNotPresent
${container}`;

export const STEADY = `      command: ["sh", "-c", "sleep 1000000"]
      livenessProbe:
        exec: { command: ["true"] }
        periodSeconds: 10
`;
export const CRASHING = `      command: ["sh", "-c", "sleep 1; exit 1"]
`;
