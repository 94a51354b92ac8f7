export const restartRules = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: restart-rules
  title:
    en: Exit codes that decide
    zh: 由退出码决定
  summary:
    en: Containers may have restart rules of their own. In "retry" exit code 42 means "try again" although the pod's policy is Never. In "together" the watcher's exit code resets the whole pod - all containers are removed and started again in the same sandbox.
    zh: 容器可以有自己的重启规则。retry 里退出码 42 表示再试一次，虽然 Pod 的策略是 Never。together 里 watcher 的退出码会重置整个 Pod：所有容器都被移除，再在同一个沙箱里重新启动。
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
          name: retry
        spec:
          restartPolicy: Never
          volumes:
            - { name: state, emptyDir: {} }
          containers:
            - name: job
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "sleep 2; test -f /state/half && exit 0; touch /state/half; exit 42"]
              restartPolicy: Never
              restartPolicyRules:
                - action: Restart
                  exitCodes: { operator: In, values: [42] }
              volumeMounts:
                - { name: state, mountPath: /state }
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: together
        spec:
          restartPolicy: Always
          terminationGracePeriodSeconds: 2
          volumes:
            - { name: state, emptyDir: {} }
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
            - name: watcher
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "test -f /state/once && exec sleep 600; touch /state/once; sleep 4; exit 88"]
              restartPolicy: Always
              restartPolicyRules:
                - action: RestartAllContainers
                  exitCodes: { operator: In, values: [88] }
              volumeMounts:
                - { name: state, mountPath: /state }
    - waitFor: { pod: retry, phase: Succeeded, timeout: 30s }
    - waitFor: { pod: together, container: app, restarts: 1, timeout: 30s }
    - waitFor: { pod: together, phase: Running, timeout: 20s }
    - wait: 5s
expect:
  - { pod: retry, phase: Succeeded }
  - { pod: retry, container: job, restarts: 1, atMostRestarts: 1, exitCode: 0 }
  - { pod: together, phase: Running }
  - { pod: together, container: app, running: true, restarts: 1, atMostRestarts: 1 }
  - { pod: together, container: watcher, running: true, restarts: 1, atMostRestarts: 1 }
  - sequence:
      - { kind: actual-container, where: "name == 'watcher' && exitCode == 88" }
      - { kind: decision, where: "rule == 'RestartAllContainers' && verdict == 'reset'" }
      - { kind: actual-container, where: "name == 'app' && state == 'removed'" }
      - { kind: actual-container, where: "name == 'watcher' && state == 'removed'" }
      - { kind: actual-container, where: "name == 'app' && state == 'running' && attempt == 1" }
      - { kind: actual-container, where: "name == 'watcher' && state == 'running' && attempt == 1" }
  - event: { pod: together, reason: Killing, message: killing, exactly: 1 }
  # Both keep their sandboxes.
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 2 }
`;
