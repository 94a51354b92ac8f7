export const stopError = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: stop-error
  title:
    en: A container that cannot be stopped
    zh: 停不掉的容器
  summary:
    en: For ten seconds the runtime can stop nothing. SyncTerminatingPod ends with FailedKillPod each time and the worker stays in terminating; housekeeping finds the orphan every two seconds and lets it try again. A pod is terminated only when nothing of it runs.
    zh: 有十秒钟，运行时什么也停不掉。SyncTerminatingPod 每次都以 FailedKillPod 收场，worker 留在 terminating；housekeeping 每两秒发现这个孤儿 Pod，让它再试。只有 Pod 里什么都不再运行，它才算 terminated。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: web
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 2s
    - fault: { method: StopContainer, error: { code: Unknown, message: "failed to kill task: shim is not responding" } }
    # It would end the containers, too.
    - fault: { method: StopPodSandbox, error: { code: Unknown, message: "failed to stop sandbox: shim is not responding" } }
    - delete: web
    - wait: 10s
    - clearFaults
    - waitFor: { pod: web, gone: true, timeout: 30s }
    - wait: 3s
expect:
  - { pod: web, gone: true }
  - event: { pod: web, reason: FailedKillPod, message: shim is not responding, atLeast: 3 }
  - records: { kind: work-done, where: "workType == 'terminating' && contains(error, 'error killing terminating pod')", atLeast: 3 }
  - sequence:
      - { kind: worker, where: "state == 'terminating'" }
      - { kind: input, where: "verb == 'clearFaults'" }
      - { kind: actual-container, where: "state == 'exited' && exitCode == 0" }
      - { kind: worker, where: "state == 'terminated'" }
  - records: { kind: worker, where: "state == 'terminated'", exactly: 1 }
`;
