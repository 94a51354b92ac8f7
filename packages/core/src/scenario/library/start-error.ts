export const startError = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: start-error
  title:
    en: StartContainer fails, in three ways
    zh: StartContainer 失败的三种情形
  summary:
    en: In "typo" the program does not exist, which counts as a crash. In "left" the call fails before anything is done; the created container is left behind and the next pass makes a new one. In "lost" only the answer is lost - the PLEG finds the container running, and nothing is started twice.
    zh: typo 里的程序不存在，这算一次崩溃。left 的调用还没做事就失败了，建好的容器被丢在那里，下一轮另建一个。lost 只是丢了应答，PLEG 发现容器其实在运行，不会启动第二个。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
    - fault:
        name: not done
        method: StartContainer
        pod: left
        times: 1
        error: { code: Unavailable, message: connection refused }
    - fault:
        name: lost answer
        method: StartContainer
        pod: lost
        times: 1
        error: { code: DeadlineExceeded, message: context deadline exceeded, when: after }
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: typo
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["slepp", "600"]
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: left
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: lost
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: lost, phase: Running, timeout: 30s }
    - waitFor: { pod: left, phase: Running, timeout: 30s }
    - waitFor: { pod: typo, container: app, restarts: 2, timeout: 60s }
    - wait: 3s
    - delete: typo
    - waitFor: { pod: typo, gone: true, timeout: 20s }
    - wait: 3s
expect:
  - { pod: typo, gone: true }
  - event: { pod: typo, reason: Failed, message: executable file not found, atLeast: 3 }
  - event: { pod: typo, reason: BackOff, atLeast: 1 }
  - event: { pod: typo, reason: Started, atMost: 0 }
  - { pod: left, phase: Running }
  # Another container, and no back-off before it.
  - { pod: left, container: app, running: true, restarts: 1, atMostRestarts: 1 }
  - event: { pod: left, reason: BackOff, atMost: 0 }
  - { pod: lost, phase: Running }
  - { pod: lost, container: app, running: true, atMostRestarts: 0 }
  - event: { pod: lost, reason: Failed, message: context deadline exceeded, exactly: 1 }
`;
