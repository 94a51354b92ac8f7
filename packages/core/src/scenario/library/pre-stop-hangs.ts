export const preStopHangs = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: pre-stop-hangs
  title:
    en: A preStop hook that does not end
    zh: 停不下来的 preStop 钩子
  summary:
    en: Before SIGTERM comes the preStop hook, and its time counts. This one uses up the whole grace period, so the app is left with the 2 s that the kubelet always grants. In the other pod the hook fails - that is only an event.
    zh: SIGTERM 之前先运行 preStop 钩子，它花的时间也算在宽限期里。这个钩子把宽限期用光，应用只剩下 kubelet 总会给的 2 秒。另一个 Pod 的钩子失败了，但那只是一个事件。
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
          name: hanging
        spec:
          terminationGracePeriodSeconds: 4
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              # It would need five seconds to save its work.
              command: ["sh", "-c", "trap 'sleep 5; exit 0' TERM; while true; do sleep 0.2; done"]
              lifecycle:
                preStop:
                  exec:
                    command: ["sleep", "600"]
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: failing
        spec:
          terminationGracePeriodSeconds: 4
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
              lifecycle:
                preStop:
                  exec:
                    command: ["sh", "-c", "exit 1"]
    - waitFor: { pod: hanging, phase: Running, timeout: 20s }
    - waitFor: { pod: failing, phase: Running, timeout: 20s }
    - wait: 2s
    - delete: hanging
    - delete: failing
    - waitFor: { pod: failing, gone: true, timeout: 10s }
    - waitFor: { pod: hanging, gone: true, timeout: 20s }
    - wait: 3s
expect:
  - { pod: hanging, gone: true }
  - { pod: failing, gone: true }
  - event: { pod: failing, reason: FailedPreStopHook, message: PreStopHook failed, exactly: 1 }
  # Nobody waits for this one; it fails when the container is gone.
  - event: { pod: hanging, reason: FailedPreStopHook, exactly: 1 }
  # All of its grace period is used up, so it gets the two seconds that everybody gets.
  - records: { kind: cri-call, where: "method == 'StopContainer' && request.timeout == '2'", exactly: 1 }
  - records: { kind: cri-call, where: "method == 'StopContainer' && request.timeout == '4'", exactly: 1 }
  - records: { kind: actual-container, where: "state == 'exited' && exitCode == 137", exactly: 1 }
  - records: { kind: actual-container, where: "state == 'exited' && exitCode == 0 && reason == 'Completed'", exactly: 1 }
`;
