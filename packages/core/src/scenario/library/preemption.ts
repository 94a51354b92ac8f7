export const preemption = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: preemption
  title:
    en: A critical pod makes room for itself
    zh: 关键 Pod 给自己腾位置
  summary:
    en: "The node has 4 CPUs. One ordinary pod takes 3, a second one that wants 2 is refused with OutOfcpu. A static pod that wants 2 is critical: at its admission the kubelet kills the first pod, waits for its end, and admits it."
    zh: 节点有 4 个 CPU。一个普通 Pod 占了 3 个，第二个想要 2 个，以 OutOfcpu 被拒。同样想要 2 个的静态 Pod 却是关键 Pod：准入时 kubelet 杀掉第一个 Pod，等它结束，再放它进来。
spec:
  seed: 1
  node:
    apiServer: true
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: batch
          spec:
            terminationGracePeriodSeconds: 4
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "trap 'echo interrupted; sleep 2; exit 1' TERM; while true; do sleep 0.2; done"]
                resources:
                  requests: { cpu: "3" }
    - waitFor: { pod: batch, phase: Running, timeout: 20s }
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: second
          spec:
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sleep", "600"]
                resources:
                  requests: { cpu: "2" }
    - waitFor: { pod: second, phase: Failed, timeout: 10s }
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: network
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: agent
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
              resources:
                requests: { cpu: "2" }
    - waitFor: { pod: network, phase: Running, timeout: 30s }
    - waitFor: { pod: batch, phase: Failed, timeout: 20s }
    - wait: 4s
expect:
  - { pod: network, phase: Running }
  - { pod: batch, phase: Failed, reason: Preempting }
  - { pod: second, phase: Failed, reason: OutOfcpu }
  - event: { pod: second, reason: OutOfcpu, message: "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000", exactly: 1 }
  - event: { pod: batch, reason: Preempting, exactly: 1 }
  - sequence:
      - { kind: decision, where: "rule == 'canAdmitPod' && verdict == 'OutOfcpu'" }
      - { kind: kube-event, where: "reason == 'Preempting'" }
      - { kind: worker, where: "state == 'terminating'" }
      - { kind: actual-container, where: "state == 'exited'" }
      - { kind: worker, where: "state == 'sync'" }
      - { kind: cri-call, where: "method == 'RunPodSandbox'" }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 2 }
`;
