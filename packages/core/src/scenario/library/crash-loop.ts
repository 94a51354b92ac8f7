export const crashLoop = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: crash-loop
  title:
    en: A container that keeps crashing
    zh: 不断崩溃的容器
  summary:
    en: The container ends with exit code 1 soon after each start. The kubelet restarts it, at once the first time, then after a back-off of 10 s, 20 s and so on - CrashLoopBackOff.
    zh: 容器每次启动后很快就以退出码 1 结束。kubelet 第一次立即重启它，之后先退避 10 秒，再 20 秒……这就是 CrashLoopBackOff。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: crash
        spec:
          terminationGracePeriodSeconds: 5
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "echo cannot reach the database; sleep 1; exit 1"]
    - waitFor: { pod: crash, container: app, terminated: Error, timeout: 20s }
    - waitFor: { pod: crash, container: app, restarts: 1, timeout: 20s }
    # From here on it waits: about 10 s, then 20 s.
    - waitFor: { pod: crash, container: app, restarts: 2, timeout: 40s }
    - waitFor: { pod: crash, container: app, restarts: 3, timeout: 60s }
    - wait: 5s
    - delete: crash
    - waitFor: { pod: crash, gone: true, timeout: 20s }
    - wait: 3s
expect:
  - { pod: crash, gone: true }
  - event: { pod: crash, reason: Started, exactly: 4 }
  - event: { pod: crash, reason: BackOff, message: restarting failed container app, atLeast: 2 }
  # At once, then after 10 s, then after 20 s.
  - sequence:
      - { kind: backoff, where: "!active && delay == 10s" }
      - { kind: actual-container, where: "attempt == 1 && state == 'running'" }
      - { kind: backoff, where: "active && delay == 10s" }
      - { kind: backoff, where: "!active && delay == 20s" }
      - { kind: actual-container, where: "attempt == 2 && state == 'running'" }
      - { kind: backoff, where: "active && delay == 20s" }
      - { kind: actual-container, where: "attempt == 3 && state == 'running'" }
  # Only the container is made anew.
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 1 }
`;
