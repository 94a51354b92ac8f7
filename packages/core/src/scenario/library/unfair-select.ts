export const unfairSelect = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: unfair-select
  title:
    en: What if the select were not fair?
    zh: 如果 select 不公平会怎样？
  summary:
    en: Go's select picks at random among the ready channels, so none starves for long. Here listing containers is slow, housekeepingCh is ready again whenever its handler returns, and the scenario makes the select take it eight times in a row. Meanwhile nobody looks at syncCh, and a restart that is due comes late.
    zh: Go 的 select 在就绪的通道里随机挑一个，所以谁也不会饿太久。这里列出容器很慢，housekeepingCh 每次处理完就又就绪了，场景让 select 连选它八次。这期间没人理 syncCh，已经到期的重启就晚了。
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
          name: restless
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "sleep 1; exit 1"]
    # Its restart is due in 10 to 15 s, and it is syncCh that has to notice.
    - waitFor: { event: { pod: restless, reason: BackOff }, timeout: 20s }
    - fault: { name: slow, method: ListContainers, delay: 2500ms }
    - choose: { select: housekeepingCh }
    - choose: { select: housekeepingCh }
    - choose: { select: housekeepingCh }
    - choose: { select: housekeepingCh }
    - choose: { select: housekeepingCh }
    - choose: { select: housekeepingCh }
    - choose: { select: housekeepingCh }
    - choose: { select: housekeepingCh }
    - waitFor: { pod: restless, container: app, restarts: 2, timeout: 60s }
    - clearFaults: slow
    - wait: 5s
    - delete: restless
    - waitFor: { pod: restless, gone: true, timeout: 20s }
    - wait: 4s
expect:
  - { pod: restless, gone: true }
  # syncCh is the third case, housekeepingCh the eighth.
  - records: { kind: select, where: "len(cases) == 8 && contains(ready, 2) && chosen == 7", atLeast: 8 }
  - records: { kind: decision, where: "rule == 'getPodsToSync' && verdict == 'due' && values.now - values.due > 4s", atLeast: 1 }
  - sequence:
      - { kind: input, where: "verb == 'choose'" }
      - { kind: select, where: "len(cases) == 8 && chosen == 7" }
      - { kind: select, where: "len(cases) == 8 && chosen == 2" }
      - { kind: enter, where: "fn == 'HandlePodSyncs'" }
      - { kind: cri-call, where: "method == 'StartContainer'" }
`;
