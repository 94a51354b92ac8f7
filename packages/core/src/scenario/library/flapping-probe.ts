export const flappingProbe = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: flapping-probe
  title:
    en: Two failures do not count, three do
    zh: 两次失败不算，三次才算
  summary:
    en: The app is well, only its probe is disturbed. For a while it fails twice and succeeds once, over and over - there are events, but the result does not change and the loop hears nothing. Then it fails three times in a row, and a healthy container is restarted.
    zh: 应用好好的，只是探针受到干扰。有一阵子它失败两次、成功一次，如此反复：事件不断，结果却没变，循环什么也听不到。后来连着失败三次，一个健康的容器就被重启了。
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
              livenessProbe:
                exec:
                  command: ["true"]
                periodSeconds: 1
                failureThreshold: 3
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 2s
    - fault: { name: flapping, probe: liveness, pod: web, pattern: FFS }
    - wait: 12s
    - assert:
        - { pod: web, container: app, running: true, atMostRestarts: 0 }
        - never: { kind: probe-result, where: "result == 'Failure'" }
    - clearFaults: flapping
    - wait: 2s
    - fault: { name: failing, probe: liveness, pod: web, pattern: F, times: 3 }
    - waitFor: { pod: web, container: app, restarts: 1, timeout: 20s }
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 5s
expect:
  - { pod: web, phase: Running }
  - { pod: web, container: app, running: true, restarts: 1, atMostRestarts: 1 }
  - event: { pod: web, reason: Unhealthy, message: Liveness probe failed, atLeast: 8 }
  - event: { pod: web, reason: Killing, message: "Container app failed liveness probe, will be restarted", exactly: 1 }
  - records: { kind: probe-result, where: "probeType == 'liveness' && result == 'Failure'", exactly: 1 }
  - sequence:
      - { kind: probe, where: "outcome == 'failure' && run == 2" }
      - { kind: probe, where: "outcome == 'success' && run == 1" }
      - { kind: probe, where: "outcome == 'failure' && run == 3" }
      - { kind: probe-result, where: "result == 'Failure'" }
      - { kind: cri-call, where: "method == 'StopContainer'" }
      - { kind: cri-call, where: "method == 'StartContainer'" }
`;
