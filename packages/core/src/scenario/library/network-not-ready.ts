export const networkNotReady = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: network-not-ready
  title:
    en: The pod network is not ready
    zh: Pod 网络还没就绪
  summary:
    en: As on a new node without a CNI plugin, the runtime says that the network is not ready. SyncPod of "web" ends at its network check and is tried every second or so. "agent" uses the host's network and starts.
    zh: 就像刚装好还没有 CNI 插件的节点，运行时报告网络未就绪。web 的 SyncPod 在网络检查那一步结束，大约每秒再试一次；agent 用的是主机网络，照样启动。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
    - network: notReady
    # updateRuntimeUp asks every five seconds.
    - wait: 6s
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
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: agent
        spec:
          hostNetwork: true
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: agent, phase: Running, timeout: 20s }
    - wait: 4s
    - assert: { pod: web, phase: Pending }
    - network: ready
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 4s
expect:
  - { pod: web, phase: Running }
  - { pod: agent, phase: Running }
  - event: { pod: web, reason: NetworkNotReady, message: network is not ready, atLeast: 3 }
  - event: { pod: agent, reason: NetworkNotReady, atMost: 0 }
  - sequence:
      - { kind: runtime-state, where: "contains(networkError, 'container runtime network not ready')" }
      - { kind: work-done, where: "contains(error, 'network is not ready')" }
      - { kind: runtime-state, where: "!networkError" }
      - { kind: work-done, where: "!error" }
  - records: { kind: actual-sandbox, where: "state == 'ready'", exactly: 2 }
`;
