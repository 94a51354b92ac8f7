export const kubeletCrash = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: kubelet-crash
  title:
    en: The kubelet dies in the middle of things
    zh: kubelet 半路死掉
  summary:
    en: It dies while "half" has a sandbox but no container yet; while it is away, the manifest of "orphan" disappears. The next kubelet finishes what the first began, and housekeeping finds a pod that no source knows, and kills it.
    zh: 它死的时候，half 只有沙箱还没有容器；它不在的时候，orphan 的清单没了。下一个 kubelet 把前一个开了头的事做完，housekeeping 发现一个没有来源的 Pod，把它杀掉。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  registry:
    - { ref: "registry.example/half:1", answer: serve, size: 30000000, programs: busybox, bytesPerSecond: 5000000 }
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: orphan
        spec:
          terminationGracePeriodSeconds: 30
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              # It would take long to stop, but nobody remembers its grace period: an orphan gets two seconds.
              command: ["sh", "-c", "trap 'sleep 20; exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: orphan, phase: Running, timeout: 20s }
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: half
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: registry.example/half:1
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    # The image takes six seconds.
    - wait: 3s
    - restart: { kubelet: crash, down: 4s }
    - wait: 2s
    - delete: orphan
    - wait: 3s
    - waitFor: { pod: half, phase: Running, timeout: 30s }
    - waitFor: { pod: orphan, gone: true, timeout: 30s }
    - wait: 5s
expect:
  - { pod: half, phase: Running }
  - { pod: half, container: app, running: true, atMostRestarts: 0 }
  - { pod: orphan, gone: true }
  - sequence:
      - { kind: cri-call, where: "method == 'PullImage'" }
      - { kind: process, where: "process == 'kubelet' && state == 'killed'" }
      - { kind: process, where: "process == 'kubelet' && state == 'started'" }
      - { kind: cri-call, where: "method == 'PullImage'" }
      - { kind: enter, where: "fn == 'HandlePodCleanups'" }
      - { kind: worker, where: "state == 'terminating' && contains(reason, 'orphaned')" }
      - { kind: enter, where: "fn == 'SyncTerminatingRuntimePod'" }
      - { kind: cri-call, where: "method == 'StopContainer' && request.timeout == '2'" }
      - { kind: worker, where: "state == 'removed' && from == 'terminating'" }
  # The sandbox of the first try is good enough.
  - records: { kind: actual-sandbox, where: "state == 'ready'", exactly: 2 }
`;
