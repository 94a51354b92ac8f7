export const admissionRefused = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: admission-refused
  title:
    en: No room for this pod
    zh: 放不下的 Pod
  summary:
    en: The node has 4 CPUs and room for three pods. One pod asks for more CPU than is left, one for a host port that is taken, one comes when the node is full. Each becomes Failed by rejectPod, and no worker ever sees it.
    zh: 节点有 4 个 CPU，最多放三个 Pod。一个 Pod 要的 CPU 超过剩余，一个要的主机端口已被占用，一个来的时候节点已满。它们都被 rejectPod 变成 Failed，worker 从来见不到它们。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
    maxPods: 3
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: first
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
              resources:
                requests: { cpu: "3" }
              ports:
                - { containerPort: 80, hostPort: 8080 }
    - waitFor: { pod: first, phase: Running, timeout: 20s }
    # A static pod is critical, so the kubelet looks for others to push out; but those are critical, too.
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: greedy
        spec:
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sleep", "600"]
              resources:
                requests: { cpu: "2" }
    - waitFor: { pod: greedy, phase: Failed, timeout: 10s }
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: same-port
        spec:
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sleep", "600"]
              ports:
                - { containerPort: 80, hostPort: 8080 }
    - waitFor: { pod: same-port, phase: Failed, timeout: 10s }
    # The refused ones do not count: there is room for two more.
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: second
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
          name: third
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: second, phase: Running, timeout: 20s }
    - waitFor: { pod: third, phase: Running, timeout: 20s }
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: fourth
        spec:
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sleep", "600"]
    - waitFor: { pod: fourth, phase: Failed, timeout: 10s }
    # Room again, but what was refused stays refused.
    - delete: first
    - waitFor: { pod: first, gone: true, timeout: 20s }
    - wait: 5s
expect:
  - { pod: first, gone: true }
  - { pod: second, phase: Running }
  - { pod: third, phase: Running }
  - { pod: greedy, phase: Failed, reason: UnexpectedAdmissionError }
  - { pod: same-port, phase: Failed, reason: NodePorts }
  - { pod: fourth, phase: Failed, reason: UnexpectedAdmissionError }
  - event: { pod: greedy, reason: UnexpectedAdmissionError, message: "res: cpu", exactly: 1 }
  - event: { pod: fourth, reason: UnexpectedAdmissionError, message: "res: pods", exactly: 1 }
  - event: { pod: same-port, reason: NodePorts, message: didn't have free ports, exactly: 1 }
  # Three pods got a worker, the refused ones never.
  - records: { kind: worker, where: "state == 'sync'", exactly: 3 }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 3 }
`;
