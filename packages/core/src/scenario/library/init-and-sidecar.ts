export const initAndSidecar = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: init-and-sidecar
  title:
    en: Init containers and a sidecar
    zh: Init 容器与 sidecar
  summary:
    en: An init container runs to its end, a sidecar (an init container that is restarted) starts, and only then does the app. On removal the sidecar is the last to stop.
    zh: 先有一个 init 容器运行到结束，然后 sidecar（会被重启的 init 容器）启动，应用容器最后才启动。删除时，sidecar 最后停止。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: shop
        spec:
          terminationGracePeriodSeconds: 10
          initContainers:
            - name: migrate
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "echo migrating; sleep 2; echo done"]
            - name: proxy
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              # This makes it a sidecar: the kubelet does not wait for its end.
              restartPolicy: Always
              command: ["sh", "-c", "sleep 1; touch /tmp/ready; trap 'exit 0' TERM; while true; do sleep 0.2; done"]
              startupProbe:
                exec:
                  command: ["test", "-f", "/tmp/ready"]
                periodSeconds: 1
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'sleep 1; exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: shop, container: migrate, terminated: Completed, timeout: 20s }
    - waitFor: { pod: shop, phase: Running, timeout: 20s }
    - wait: 4s
    # The sidecar dies under the running app: it is restarted, the app is left alone.
    - kill: { pod: shop, container: proxy }
    - waitFor: { pod: shop, container: proxy, restarts: 1, timeout: 20s }
    - wait: 4s
    - delete: shop
    - waitFor: { pod: shop, gone: true, timeout: 30s }
    - wait: 3s
expect:
  - { pod: shop, gone: true }
  - sequence:
      - { kind: actual-container, where: "name == 'migrate' && state == 'exited' && exitCode == 0" }
      - { kind: actual-container, where: "name == 'proxy' && state == 'running'" }
      - { kind: probe-result, where: "probeType == 'startup' && result == 'Success'" }
      - { kind: actual-container, where: "name == 'app' && state == 'running'" }
      # Killed and restarted, while the app goes on.
      - { kind: actual-container, where: "name == 'proxy' && state == 'exited'" }
      - { kind: actual-container, where: "name == 'proxy' && state == 'running' && attempt == 1" }
      - { kind: actual-container, where: "name == 'app' && state == 'exited' && exitCode == 0" }
      - { kind: actual-container, where: "name == 'proxy' && state == 'exited' && exitCode == 0" }
  - records: { kind: actual-container, where: "name == 'app' && state == 'running'", exactly: 1 }
  - records: { kind: actual-container, where: "name == 'migrate' && state == 'running'", exactly: 1 }
  - event: { pod: shop, reason: Started, exactly: 4 }
`;
