export const startupProbe = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: startup-probe
  title:
    en: A startup probe protects a slow starter
    zh: 启动探针保护慢启动的应用
  summary:
    en: Two apps are slow to start. Until the startup probe succeeds, the liveness probe stays silent, so "slow" gets its time. "stuck" never gets there - when the startup probe gives up, the container is killed and started anew.
    zh: 两个应用都启动得慢。启动探针成功之前，存活探针不会运行，所以 slow 有时间起来；stuck 永远起不来，启动探针放弃后，容器被杀掉并重新启动。
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
          name: slow
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "sleep 6; touch /tmp/up; trap 'exit 0' TERM; while true; do sleep 0.2; done"]
              startupProbe:
                exec:
                  command: ["test", "-f", "/tmp/up"]
                periodSeconds: 1
                failureThreshold: 15
              # Alone it would have killed the app after two seconds.
              livenessProbe:
                exec:
                  command: ["test", "-f", "/tmp/up"]
                periodSeconds: 1
                failureThreshold: 2
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: stuck
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sleep", "600"]
              startupProbe:
                exec:
                  command: ["test", "-f", "/tmp/up"]
                periodSeconds: 1
                failureThreshold: 4
    - waitFor: { pod: slow, phase: Running, timeout: 20s }
    - waitFor: { pod: slow, ready: true, timeout: 20s }
    - waitFor: { pod: stuck, container: app, restarts: 1, timeout: 30s }
    - wait: 3s
    - delete: slow
    - delete: stuck
    - waitFor: { pod: slow, gone: true, timeout: 20s }
    - waitFor: { pod: stuck, gone: true, timeout: 40s }
    - wait: 3s
expect:
  - { pod: slow, gone: true }
  - { pod: stuck, gone: true }
  - event: { pod: slow, reason: Started, exactly: 1 }
  - event: { pod: slow, reason: Unhealthy, message: Startup probe failed, atLeast: 3 }
  - event: { pod: slow, reason: Unhealthy, message: Liveness probe failed, atMost: 0 }
  - event: { pod: stuck, reason: Unhealthy, message: Startup probe failed, atLeast: 4 }
  - event: { pod: stuck, reason: Killing, message: "Container app failed startup probe, will be restarted", atLeast: 1 }
  - sequence:
      - { kind: probe-result, where: "probeType == 'startup' && result == 'Success'" }
      - { kind: probe, where: "probeType == 'liveness' && outcome == 'success'" }
  - records: { kind: probe-result, where: "probeType == 'startup' && result == 'Failure'", atLeast: 1 }
`;
