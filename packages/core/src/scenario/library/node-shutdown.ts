export const nodeShutdown = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: node-shutdown
  title:
    en: The machine is to go down
    zh: 机器要关机
  summary:
    en: systemd says that the machine goes down; the kubelet holds it up for 20 seconds and ends its pods in two groups. "web" has the first 12 seconds and needs three; "critical", with a priority of the system's own, goes last. The node is not ready meanwhile and refuses "late". Then the shutdown is called off, and "again" may come.
    zh: systemd 通知机器要关机；kubelet 把它拖住 20 秒，分两组结束 Pod。web 在前 12 秒，用了三秒；critical 有系统级优先级，最后走。期间节点未就绪，拒绝 late。后来关机取消，again 可以进来。
spec:
  seed: 1
  node:
    apiServer: true
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
    shutdownGracePeriod: 20s
    shutdownGracePeriodCriticalPods: 8s
  steps:
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: web
          spec:
            terminationGracePeriodSeconds: 30
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "trap 'sleep 3; exit 143' TERM; while true; do sleep 0.2; done"]
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: critical
          spec:
            priorityClassName: system-cluster-critical
            terminationGracePeriodSeconds: 30
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "trap 'sleep 1; exit 143' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - waitFor: { pod: critical, phase: Running, timeout: 20s }
    - shutdown
    - wait: 1s
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: late
          spec:
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sleep", "600"]
    - waitFor: { pod: late, phase: Failed, reason: NodeShutdown, timeout: 10s }
    - waitFor: { pod: web, phase: Failed, reason: Terminated, timeout: 20s }
    - waitFor: { pod: critical, phase: Failed, reason: Terminated, timeout: 20s }
    - waitFor: { records: { kind: log, where: "msg == 'Shutdown manager completed processing shutdown event, node will shutdown shortly'" }, timeout: 20s }
    - cancelShutdown
    - wait: 1s
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: again
          spec:
            terminationGracePeriodSeconds: 2
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: again, phase: Running, timeout: 20s }
    - wait: 2s
expect:
  - { pod: web, phase: Failed, reason: Terminated, container: app, exitCode: 143 }
  - { pod: critical, phase: Failed, reason: Terminated, container: app, exitCode: 143 }
  - { pod: late, phase: Failed, reason: NodeShutdown }
  - { pod: again, phase: Running }
  - event: { reason: NodeShutdown, message: Shutdown manager detected shutdown event, exactly: 1 }
  - event: { reason: NodeShutdown, message: Shutdown manager detected shutdown cancellation, exactly: 1 }
  - event: { pod: late, reason: NodeShutdown, message: Pod was rejected as the node is shutting down., exactly: 1 }
  - sequence:
      - { kind: decision, where: "rule == 'nodeshutdown.killPods' && values.priority == 0" }
      - { kind: decision, where: "rule == 'nodeshutdown.killPods' && values.priority == 2000000000" }
      - { kind: log, where: "msg == 'Shutdown manager completed processing shutdown event, node will shutdown shortly'" }
`;
