export const liveness = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: liveness
  title:
    en: A liveness probe fails
    zh: 存活探针失败
  summary:
    en: The app works for ten seconds, then hangs. Its liveness probe notices, and after three failures in a row the kubelet kills the container and starts it anew.
    zh: 应用正常运行十秒，然后卡住。存活探针发现后，连续失败三次，kubelet 就杀掉容器并重新启动它。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: live
        spec:
          terminationGracePeriodSeconds: 3
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "touch /tmp/healthy; sleep 10; rm /tmp/healthy; sleep 600"]
              livenessProbe:
                exec:
                  command: ["cat", "/tmp/healthy"]
                periodSeconds: 2
                failureThreshold: 3
    - waitFor: { pod: live, phase: Running, timeout: 20s }
    - waitFor: { pod: live, container: app, restarts: 1, timeout: 40s }
    - waitFor: { pod: live, phase: Running, timeout: 20s }
    - wait: 5s
    - delete: live
    - waitFor: { pod: live, gone: true, timeout: 20s }
    - wait: 3s
expect:
  - { pod: live, gone: true }
  - event: { pod: live, reason: Unhealthy, message: Liveness probe failed, atLeast: 3 }
  - event: { pod: live, reason: Killing, message: "Container app failed liveness probe, will be restarted", exactly: 1 }
  - sequence:
      - { kind: probe-result, where: "probeType == 'liveness' && result == 'Success'" }
      - { kind: probe, where: "outcome == 'failure' && run == 3" }
      - { kind: probe-result, where: "probeType == 'liveness' && result == 'Failure'" }
      - { kind: enter, where: "fn == 'HandlePodSyncs'" }
      - { kind: step, where: "fn == 'kuberuntime.SyncPod' && n == 3" }
      - { kind: cri-call, where: "method == 'StopContainer'" }
      - { kind: cri-call, where: "method == 'StartContainer'" }
  # The sandbox stays.
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 1 }
`;
