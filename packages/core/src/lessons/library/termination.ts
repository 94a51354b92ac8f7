export const termination = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: termination
  title:
    en: How a pod is stopped
    zh: Pod 怎样停下来
  summary:
    en: From the deletion in the API server to the last trace of the pod. See the grace period being spent, who sends SIGTERM and SIGKILL, and the worker's way from sync to finished.
    zh: 从 API server 里的删除，到 Pod 的最后一点痕迹。看看宽限期怎么花掉、谁发 SIGTERM 和 SIGKILL，以及 worker 从 sync 到 finished 的路。
  minutes: 10
spec:
  goal:
    en: You can tell terminating from terminated, say what the grace period pays for, and why a force-deleted pod may still run.
    zh: 你能区分 terminating 和 terminated，说出宽限期都用在哪里，以及为什么强制删除的 Pod 可能还在运行。
  scenario:
    apiVersion: syncloop.dev/v1alpha1
    kind: Scenario
    metadata:
      name: termination
    spec:
      seed: 1
      node:
        apiServer: true
        clusterDNS: ["10.96.0.10"]
      steps:
        - apply:
            to: api
            manifest:
              apiVersion: v1
              kind: Pod
              metadata:
                name: web
              spec:
                terminationGracePeriodSeconds: 8
                containers:
                  - name: app
                    image: localhost/busybox:dev
                    imagePullPolicy: IfNotPresent
                    command: ["sh", "-c", "trap 'sleep 1; exit 0' TERM; while true; do sleep 0.2; done"]
                    lifecycle:
                      preStop:
                        exec: { command: ["sleep", "2"] }
                  - name: deaf
                    image: localhost/busybox:dev
                    imagePullPolicy: IfNotPresent
                    command: ["sh", "-c", "trap '' TERM; while true; do sleep 0.2; done"]
        - wait: 10m
  seed: 1
  steps:
    - name: running
      title:
        en: Two containers
        zh: 两个容器
      text:
        en: |-
          \`web\` came from the API server, and has 8 s of grace. \`app\` has a \`preStop\` hook of 2 s, and ends 1 s after SIGTERM. \`deaf\` ignores SIGTERM.

          The worker is in state \`{{ state.pods['web'].worker.state }}\`: what it calls, again and again, is \`SyncPod\`.
        zh: |-
          \`web\` 来自 API server，宽限期 8 秒。\`app\` 有一个 2 秒的 \`preStop\` 钩子，收到 SIGTERM 后 1 秒结束。\`deaf\` 忽略 SIGTERM。

          worker 的状态是 \`{{ state.pods['web'].worker.state }}\`：它一次次调用的是 \`SyncPod\`。
      do:
        - until: "kind == 'status' && pod.phase == 'Running'"
          pace: fast
        - go: { time: 5s }
      show: { level: story, select: { pod: web }, tab: what }
      holds:
        - "state.pods['web'].worker.state == 'sync' && state.pods['web'].phase == 'Running'"
        - "count(state.containers, c => c.state == 'running') == 2"

    - title:
        en: Deleted, says the API server
        zh: API server 里的删除
      text:
        en: |-
          The pod was deleted. The object is still there, it only got a \`deletionTimestamp\`. For the loop that is an update: \`DELETE\` goes to \`HandlePodUpdates\`, and \`UpdatePod\` sees the timestamp.

          The worker goes from \`{{ record.from }}\` to \`{{ record.state }}\`, and never back: it will not call \`SyncPod\` any more.
        zh: |-
          Pod 被删除了。对象还在，只是多了 \`deletionTimestamp\`。对循环来说这是一次更新：\`DELETE\` 交给 \`HandlePodUpdates\`，\`UpdatePod\` 看到了这个时间戳。

          worker 从 \`{{ record.from }}\` 变成 \`{{ record.state }}\`，再也不会回去，也不再调用 \`SyncPod\`。
      do:
        - delete: { pod: web, to: api }
        - until: "kind == 'worker'"
      show: { level: loop, select: { pod: web }, source: UpdatePod }
      holds:
        - "record.state == 'terminating' && record.from == 'sync'"
        - { records: { kind: pod-config, where: "op == 'DELETE'", exactly: 1 } }
        - "goroutine.name == 'syncLoop'"

    - title:
        en: SyncTerminatingPod
        zh: SyncTerminatingPod
      text:
        en: |-
          Now the worker calls \`{{ fn }}\`. It has stopped the liveness and startup probes, so that they restart nothing; readiness goes on. Next is \`killPod\`.

          The phase is still \`{{ state.pods['web'].phase }}\`. "Terminating", as kubectl prints it, is no phase: it is the \`deletionTimestamp\`.
        zh: |-
          现在 worker 调用 \`{{ fn }}\`。它停掉了存活和启动探针，免得它们再重启什么；就绪探针继续。接下来是 \`killPod\`。

          phase 仍是 \`{{ state.pods['web'].phase }}\`。kubectl 显示的“Terminating”不是 phase，它就是那个 \`deletionTimestamp\`。
      do:
        - until: "kind == 'step' && fn == 'SyncTerminatingPod' && name == 'killPod'"
      show: { level: loop, select: { pod: web }, source: SyncTerminatingPod }
      holds:
        - "state.pods['web'].phase == 'Running'"
        - { sequence: [{ kind: step, where: "fn == 'SyncTerminatingPod' && name == 'stop liveness and startup probes'" }, { kind: step, where: "fn == 'SyncTerminatingPod' && name == 'killPod'" }] }

    - name: hook
      title:
        en: All containers at the same time
        zh: 所有容器同时进行
      text:
        en: |-
          Each container gets a goroutine, \`killContainer\`. For \`deaf\` the call \`StopContainer\` is out already, with a timeout of {{ first(state.cri.inFlight, c => c.method == 'StopContainer').request.timeout }} s.

          \`app\` has a \`preStop\` hook, and that comes first: \`{{ method }}\` inside the container. Its process knows of nothing yet.
        zh: |-
          每个容器有一个 goroutine：\`killContainer\`。\`deaf\` 的 \`StopContainer\` 已经发出，超时 {{ first(state.cri.inFlight, c => c.method == 'StopContainer').request.timeout }} 秒。

          \`app\` 有 \`preStop\` 钩子，要先运行它：在容器里 \`{{ method }}\`。它的主进程此刻还什么都不知道。
      do:
        - until: "kind == 'cri-call' && method == 'ExecSync'"
      show: { level: everything, select: { container: app, pod: web }, source: killContainer }
      holds:
        - "goroutine.name == 'preStop app'"
        - "first(state.cri.inFlight, c => c.method == 'StopContainer').request.timeout == '8'"
        - { event: { pod: web, reason: Killing, exactly: 2 } }

    - title:
        en: How long for app?
        zh: app 还有多久
      ask:
        question:
          en: The hook will take 2 s. What timeout does \`StopContainer\` get for \`app\` then?
          zh: 钩子要 2 秒。之后 \`app\` 的 \`StopContainer\` 得到多长的超时？
        options:
          - value: "6"
            text:
              en: 6 s, the rest
              zh: 6 秒，剩下的
          - value: "8"
            text:
              en: 8 s, for the grace period begins with SIGTERM
              zh: 8 秒，宽限期从 SIGTERM 开始
            wrong:
              en: It begins with the kill. A hook that uses up the grace period leaves its app with the minimum of 2 s.
              zh: 它从开始终止时算起。钩子把宽限期用光的话，应用就只剩最少的 2 秒。
          - value: "2"
            text:
              en: 2 s, as every container after its hook
              zh: 2 秒，钩子之后都是这样
            wrong:
              en: 2 s is the floor. \`killContainer\` raises the timeout to it where less is left.
              zh: 2 秒是下限，剩得更少时 \`killContainer\` 才会提到这么多。
        then:
          - until: "kind == 'cri-call' && method == 'StopContainer'"
        answer: "request.timeout"
        right:
          en: Hook and signal share one grace period, and whole seconds spent in the hook are subtracted. What is left is {{ request.timeout }} s, and that number is all the runtime is told.
          zh: 钩子和信号共用一个宽限期，钩子用掉的整秒数要减去。剩 {{ request.timeout }} 秒，告诉运行时的就只有这个数。

    - title:
        en: The news has to wait
        zh: 消息得等一等
      text:
        en: |-
          \`app\` has exited with code {{ first(state.containers, c => c.name == 'app').exitCode }}. The PLEG saw it, the loop called \`HandlePodSyncs\`, and a \`{{ updateType }}\` is pending for the worker.

          But the worker is still inside \`SyncTerminatingPod\`, waiting for \`deaf\`. One slow container holds up its own pod; the loop and other pods go on.
        zh: |-
          \`app\` 已退出，退出码 {{ first(state.containers, c => c.name == 'app').exitCode }}。PLEG 看到了，循环调用了 \`HandlePodSyncs\`，一个 \`{{ updateType }}\` 在等 worker。

          但 worker 还在 \`SyncTerminatingPod\` 里等 \`deaf\`。慢的容器只拖住自己的 Pod，循环和别的 Pod 照常。
      do:
        - until: "kind == 'pod-update' && updateType == 'sync'"
          pace: fast
      show: { level: loop, select: { pod: web }, source: SyncTerminatingPod }
      holds:
        - "state.pods['web'].worker.working && state.pods['web'].worker.pending == 'sync'"
        - "first(state.containers, c => c.name == 'app').exitCode == 0"
        - "first(state.containers, c => c.name == 'deaf').state == 'running'"
        - "any(state.goroutines, w => w.name == 'podWorker default/web' && any(w.stack, f => f.fn == 'SyncTerminatingPod'))"

    - title:
        en: And deaf?
        zh: 那 deaf 呢
      ask:
        question:
          en: "\`deaf\` has had SIGTERM for {{ round(seconds(time - first(state.cri.inFlight, c => c.method == 'StopContainer').since)) }} s, and does nothing. What ends it?"
          zh: "\`deaf\` 收到 SIGTERM 已经 {{ round(seconds(time - first(state.cri.inFlight, c => c.method == 'StopContainer').since)) }} 秒，什么也没做。什么会让它结束？"
        options:
          - value: kubelet
            text:
              en: A second call of the kubelet, with timeout 0
              zh: kubelet 的第二次调用，超时为 0
            wrong:
              en: There is no second call. One \`StopContainer\` covers SIGTERM, the wait and SIGKILL.
              zh: 没有第二次调用。一次 \`StopContainer\` 就包括了 SIGTERM、等待和 SIGKILL。
          - value: housekeeping
            text:
              en: Housekeeping, which kills what should not run
              zh: housekeeping，它会杀掉不该运行的东西
            wrong:
              en: A pod whose worker is terminating is left to that worker. Housekeeping kills only what no worker knows.
              zh: worker 正在终止的 Pod 归那个 worker 管。housekeeping 只杀没有 worker 认识的。
          - value: runtime
            text:
              en: The runtime, when the timeout is over
              zh: 运行时，超时一到
        then:
          - until: "kind == 'actual-container' && name == 'deaf' && state == 'exited'"
            pace: fast
        answer: "any(state.cri.inFlight, c => c.method == 'StopContainer') && exitCode == 137 ? 'runtime' : 'kubelet'"
        right:
          en: The same \`StopContainer\` was still in flight. The runtime sent SIGKILL, and the exit code is 128 + 9 = {{ exitCode }}. The kubelet itself sends no signal.
          zh: 还是那次 \`StopContainer\`，一直没返回。运行时发了 SIGKILL，退出码是 128 + 9 = {{ exitCode }}。kubelet 自己不发信号。

    - title:
        en: Which phase does it end in?
        zh: 最后是什么 phase
      ask:
        question:
          en: Both containers are down, one with exit code 0, one with {{ exitCode }}. \`restartPolicy\` is \`Always\`. Which phase does the pod get?
          zh: 两个容器都停了，一个退出码 0，一个 {{ exitCode }}。\`restartPolicy\` 是 \`Always\`。Pod 得到什么 phase？
        options:
          - value: Running
            text:
              en: "\`Running\`, until the object is gone"
              zh: "\`Running\`，直到对象消失"
            wrong:
              en: So it was in older versions. Since v1.27 a pod gets a final phase before it is removed from the API server.
              zh: 老版本是这样。从 v1.27 起，Pod 从 API server 移除之前会得到最终的 phase。
          - value: Failed
            text:
              en: "\`Failed\`"
              zh: "\`Failed\`"
          - value: Succeeded
            text:
              en: "\`Succeeded\`, for it was stopped on request"
              zh: "\`Succeeded\`，因为是应要求停的"
            wrong:
              en: The request does not count, the exit codes do. It would be so if both were 0.
              zh: 是不是应要求不算数，退出码才算。两个都是 0 才会这样。
        then:
          - until: "kind == 'worker'"
        answer: "state.pods['web'].phase"
        right:
          en: "\`StopPodSandbox\` came next, then \`SyncTerminatingPod\` read the pod from the runtime once more and made the last status: \`{{ state.pods['web'].phase }}\`, since not all ended with 0. The worker is now \`{{ record.state }}\`: nothing runs any more."
          zh: "接着是 \`StopPodSandbox\`，然后 \`SyncTerminatingPod\` 再从运行时读一遍 Pod，写下最后的状态：\`{{ state.pods['web'].phase }}\`，因为不是都以 0 结束。worker 现在是 \`{{ record.state }}\`：什么都不再运行。"

    - name: finished
      title:
        en: SyncTerminatedPod
        zh: SyncTerminatedPod
      text:
        en: |-
          Stopped is not done. The worker waited for a fresh view from the PLEG; then \`SyncTerminatedPod\` waited for the volumes to be unmounted, removed the pod's cgroup, and called \`TerminatePod\`. Now the worker is \`{{ record.state }}\`, and its goroutine ends.

          Only after this does the status manager delete the object in the API server.
        zh: |-
          停下不等于完结。worker 先等 PLEG 的新视图，然后 \`SyncTerminatedPod\` 等卷卸载，删掉 Pod 的 cgroup，调用 \`TerminatePod\`。现在 worker 是 \`{{ record.state }}\`，它的 goroutine 结束了。

          在这之后，状态管理器才去 API server 里删除对象。
      do:
        - until: "kind == 'worker'"
          pace: fast
      show: { level: loop, select: { pod: web }, source: SyncTerminatedPod }
      holds:
        - "record.state == 'finished' && record.from == 'terminated'"
        - { sequence: [{ kind: step, where: "fn == 'SyncTerminatedPod' && name == 'unmount volumes'" }, { kind: step, where: "fn == 'SyncTerminatedPod' && name == 'destroy cgroup'" }, { kind: step, where: "fn == 'SyncTerminatedPod' && name == 'TerminatePod'" }] }
        - { never: { kind: pod-config, where: "op == 'REMOVE'" } }

    - title:
        en: The last traces
        zh: 最后的痕迹
      text:
        en: |-
          The object is gone, \`REMOVE\` came in, and the dead containers were removed. One thing was left: the worker's record for this UID. The next housekeeping threw it away in \`SyncKnownPods\`, {{ seconds(time - first(state.events, e => e.reason == 'Killing').time) }} s after the kill began.

          Until then, a pod with the same UID could not have started.
        zh: |-
          对象没了，\`REMOVE\` 来了，死掉的容器也移除了。还剩一样：worker 为这个 UID 留的记录。接下来的 housekeeping 在 \`SyncKnownPods\` 里扔掉了它，距开始终止 {{ seconds(time - first(state.events, e => e.reason == 'Killing').time) }} 秒。

          在那之前，同一 UID 的 Pod 无法启动。
      do:
        - until: "kind == 'worker'"
          pace: fast
      show: { level: loop, select: { channel: housekeepingCh }, source: SyncKnownPods }
      holds:
        - "record.state == 'removed' && record.from == 'finished' && goroutine.name == 'syncLoop'"
        - { records: { kind: pod-config, where: "op == 'REMOVE'", exactly: 1 } }
        - { records: { kind: actual-container, where: "state == 'removed'", exactly: 2 } }

    - title:
        en: Less grace
        zh: 少给一点宽限
      exercise:
        text:
          en: You are back before the deletion. Delete \`web\` in the API server in such a way that the runtime gives \`deaf\` only 2 s between SIGTERM and SIGKILL, and let it come to that.
          zh: 你回到了删除之前。请在 API server 里删除 \`web\`，让运行时在 SIGTERM 和 SIGKILL 之间只给 \`deaf\` 2 秒，然后运行到那时。
        done:
          - { records: { kind: cri-call, where: "method == 'StopContainer' && request.timeout == '2'", atLeast: 1 } }
          - { records: { kind: actual-container, where: "name == 'deaf' && state == 'exited' && exitCode == 137", atLeast: 1 } }
        hint:
          en: A deletion can bring its own grace period, \`kubectl delete pod web --grace-period=2\` in the console. 1 does as well. What 0 with \`--force\` does is worth a look.
          zh: 删除时可以带上自己的宽限期，在控制台里是 \`kubectl delete pod web --grace-period=2\`。1 也行。0 加 \`--force\` 会怎样，值得看看。
        solution:
          - delete: { pod: web, to: api, gracePeriodSeconds: 1 }
          - until: "kind == 'actual-container' && name == 'deaf' && state == 'exited'"
            pace: fast
      do:
        - go: { place: running }
      show: { level: loop, select: { pod: web }, panel: console }
      holds:
        - "state.pods['web'].worker.state == 'sync'"

    - title:
        en: Forced, and still running
        zh: 强制删除，却还在运行
      text:
        en: |-
          Back once more, and this time deleted with a grace period of 0, as by \`kubectl delete --force\`: the API server dropped the object at once.

          The kubelet heard \`DELETE\` with a period of 0, and \`REMOVE\` right behind it. It never gives less than it must: \`deaf\` has {{ request.timeout }} s. No object any more, and the containers run.
        zh: |-
          再回去一次，这回用 0 的宽限期删除，就像 \`kubectl delete --force\`：API server 立刻丢掉了对象。

          kubelet 听到的是宽限为 0 的 \`DELETE\`，紧跟着是 \`REMOVE\`。它给的时间不会少于下限：\`deaf\` 有 {{ request.timeout }} 秒。对象没了，容器还在运行。
      do:
        - go: { place: running }
        - delete: { pod: web, to: api, gracePeriodSeconds: 0 }
        - until: "kind == 'cri-call' && method == 'StopContainer'"
      show: { level: loop, select: { container: deaf, pod: web }, source: killContainer }
      holds:
        - "request.timeout == '2' && goroutine.name == 'killContainer deaf'"
        - "count(state.containers, c => c.state == 'running') == 2"
        - { sequence: [{ kind: pod-config, where: "op == 'DELETE'" }, { kind: pod-config, where: "op == 'REMOVE'" }] }
`;
