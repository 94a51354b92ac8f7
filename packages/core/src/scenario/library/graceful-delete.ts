export const gracefulDelete = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: graceful-delete
  title:
    en: Stopping with grace, and without
    zh: 优雅终止与强制终止
  summary:
    en: Two pods are removed. One handles SIGTERM and is gone soon. The other ignores it, uses up its grace period and is killed with SIGKILL (exit code 137).
    zh: 删除两个 Pod。一个处理 SIGTERM，很快就结束；另一个忽略它，用完宽限期后被 SIGKILL 杀掉（退出码 137）。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: polite
        spec:
          terminationGracePeriodSeconds: 8
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'echo saving; sleep 1; exit 0' TERM; while true; do sleep 0.2; done"]
              lifecycle:
                preStop:
                  exec:
                    command: ["sh", "-c", "echo leaving the load balancer; sleep 2"]
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: deaf
        spec:
          terminationGracePeriodSeconds: 8
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap '' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: polite, phase: Running, timeout: 20s }
    - waitFor: { pod: deaf, phase: Running, timeout: 20s }
    - wait: 2s
    - delete: polite
    - delete: deaf
    - waitFor: { pod: polite, gone: true, timeout: 7s }
    - waitFor: { pod: deaf, gone: true, timeout: 20s }
    - wait: 3s
expect:
  - { pod: polite, gone: true }
  - { pod: deaf, gone: true }
  - event: { pod: polite, reason: Killing, message: Stopping container app, exactly: 1 }
  - event: { pod: deaf, reason: Killing, message: Stopping container app, exactly: 1 }
  - records: { kind: actual-container, where: "state == 'exited' && exitCode == 0 && reason == 'Completed'", exactly: 1 }
  - records: { kind: actual-container, where: "state == 'exited' && exitCode == 137", exactly: 1 }
  - sequence:
      - { kind: pod-config, where: "op == 'REMOVE'" }
      - { kind: worker, where: "state == 'terminating'" }
      - { kind: enter, where: "fn == 'SyncTerminatingPod'" }
      - { kind: worker, where: "state == 'terminated'" }
      - { kind: enter, where: "fn == 'SyncTerminatedPod'" }
      - { kind: worker, where: "state == 'finished'" }
      - { kind: worker, where: "state == 'removed'" }
  # Its hook took two seconds of the eight.
  - records: { kind: cri-call, where: "method == 'StopContainer' && request.timeout == '6'", exactly: 1 }
  - records: { kind: cri-call, where: "method == 'StopContainer' && request.timeout == '8'", exactly: 1 }
`;
