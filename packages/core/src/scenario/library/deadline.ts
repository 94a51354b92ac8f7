export const deadline = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: deadline
  title:
    en: A pod with a deadline
    zh: 有时限的 Pod
  summary:
    en: The pod may be active for eight seconds. At each tick of syncCh a handler compares the clock with the pod's start; when the time is up the pod is synced though nothing happened to it, and becomes Failed with DeadlineExceeded.
    zh: 这个 Pod 最多运行八秒。syncCh 每跳一次，都有一个处理器拿时钟和 Pod 的启动时间比较；时间一到，虽然什么也没发生，Pod 也会被同步，并以 DeadlineExceeded 变成 Failed。
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
          name: hurry
        spec:
          activeDeadlineSeconds: 8
          terminationGracePeriodSeconds: 2
          containers:
            - name: job
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: hurry, phase: Running, timeout: 20s }
    - waitFor: { pod: hurry, phase: Failed, timeout: 20s }
    - wait: 5s
expect:
  - { pod: hurry, phase: Failed, reason: DeadlineExceeded }
  - event: { pod: hurry, reason: DeadlineExceeded, message: Pod was active on the node longer than the specified deadline, atLeast: 1 }
  - sequence:
      - { kind: decision, where: "rule == 'getPodsToSync' && verdict == 'a handler wants it'" }
      - { kind: status, where: "status.phase == 'Failed' && status.reason == 'DeadlineExceeded'" }
      - { kind: worker, where: "state == 'terminating'" }
      - { kind: cri-call, where: "method == 'StopContainer'" }
      - { kind: worker, where: "state == 'finished'" }
  - event: { pod: hurry, reason: Started, exactly: 1 }
`;
