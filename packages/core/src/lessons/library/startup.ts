export const startup = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: startup
  title:
    en: How a kubelet starts
    zh: kubelet 怎样启动
  summary:
    en: Goroutines start side by side, and hardly anything waits for anything. See the one gate before the loop, who opens it, and why a network that is not ready holds back pods but not the loop.
    zh: goroutine 一个个并排启动，几乎谁也不等谁。看循环前面的那一道闸门、由谁打开，以及为什么网络没就绪会挡住 Pod，却挡不住循环。
  minutes: 8
spec:
  goal:
    en: You can say what has to be there before the loop reads its first message, and what a pod waits for when the network is not ready.
    zh: 你能说出循环读第一条消息之前必须具备什么，以及网络没就绪时 Pod 在等什么。
  seed: 1
  scenario:
    apiVersion: syncloop.dev/v1alpha1
    kind: Scenario
    metadata:
      name: startup
      title: { en: A node without pods, zh: 一个还没有 Pod 的节点 }
    spec:
      seed: 1
      node: { clusterDNS: ["10.96.0.10"] }
      steps:
        - wait: 1h
  steps:
    - title:
        en: First the runtime
        zh: 先找运行时
      text:
        en: |-
          \`RunKubelet\` is done after {{ round(time / 1000) }} ms and {{ state.cri.calls }} CRI calls. If the runtime had not answered, the process would have ended: at its start the kubelet cannot do without.

          The sources run already. The manifest folder was listed, and \`configCh\` holds {{ len(first(state.channels, c => c.name == 'configCh').items) }} message. The loop does not exist yet.
        zh: |-
          \`RunKubelet\` 用了 {{ round(time / 1000) }} 毫秒、{{ state.cri.calls }} 次 CRI 调用。运行时如果不回答，进程就退出了：启动时 kubelet 离不开它。

          来源已经在跑。清单目录列过了，\`configCh\` 里有 {{ len(first(state.channels, c => c.name == 'configCh').items) }} 条消息。循环还不存在。
      do:
        - until: "kind == 'exit' && fn == 'RunKubelet'"
          pace: fast
      show: { level: everything, select: { part: cri }, tab: what }
      holds:
        - "len(first(state.channels, c => c.name == 'configCh').items) == 1 && state.loop.phase == 'off'"
        - "state.cri.calls > 3 && state.cri.errors == 0"

    - title:
        en: What needs no runtime
        zh: 不需要运行时的部分
      text:
        en: |-
          A new goroutine runs \`Run\`, and in it \`initializeModules\`: directories and the image manager, all that does not need the runtime. It has made no CRI call and taken no time.

          An error here is not tried again. The kubelet emits \`KubeletSetupFailed\` and exits.
        zh: |-
          一个新的 goroutine 执行 \`Run\`，其中先是 \`initializeModules\`：目录、镜像管理器，都是不需要运行时的东西。它没有发出 CRI 调用，也没花时间。

          这里出错不会重试：kubelet 发出 \`KubeletSetupFailed\` 事件，然后退出。
      do:
        - until: "kind == 'exit' && fn == 'initializeModules'"
      show: { level: everything, select: { goroutine: syncLoop }, source: initializeModules }
      holds:
        - "record.error == null && goroutine.name == 'syncLoop'"
        - { never: { kind: cri-call, where: "goroutine.name == 'syncLoop'" } }
        - { sequence: [{ kind: enter, where: "fn == 'initializeModules'" }, { kind: goroutine-start, where: "name == 'imageCache'" }, { kind: exit, where: "fn == 'initializeModules'" }] }

    - title:
        en: Nobody waits for anybody
        zh: 谁也不等谁
      text:
        en: |-
          The same goroutine has started the PLEG and \`updateRuntimeUp\`, and now enters \`syncLoop\`, {{ round(time / 1000) }} ms after the start. It did not wait for either; they have not run a single line.

          There is no list of phases here. What is needed is asked for where it is needed.
        zh: |-
          同一个 goroutine 启动了 PLEG 和 \`updateRuntimeUp\`，现在进入 \`syncLoop\`，距启动 {{ round(time / 1000) }} 毫秒。它没有等它们，它们一行代码都还没执行。

          这里没有一张启动阶段表：需要什么，就在需要的地方问。
      do:
        - until: "kind == 'enter' && fn == 'syncLoop'"
      show: { level: everything, select: { part: loop }, source: syncLoop }
      holds:
        - "any(state.goroutines, g => g.name == 'genericPLEG') && any(state.goroutines, g => g.name == 'updateRuntimeUp')"
        - { never: { kind: enter, where: "fn in ['updateRuntimeUp', 'Relist']" } }

    - title:
        en: The first thing it does
        zh: 它做的第一件事
      ask:
        question:
          en: "There is a message in \`configCh\`, so that case of the select would be ready. What does the loop do first?"
          zh: "\`configCh\` 里有一条消息，select 的这个分支是就绪的。循环先做什么？"
        options:
          - value: select
            text:
              en: It takes the message
              zh: 取走这条消息
            wrong:
              en: Before each round comes the gate, and it is shut.
              zh: 每一轮之前都有一道闸门，现在是关着的。
          - value: cri-call
            text:
              en: It asks the runtime for its status
              zh: 问运行时的状态
            wrong:
              en: The loop never asks for it. That is what the goroutine \`updateRuntimeUp\` is for; the loop reads what it has noted.
              zh: 循环从来不问。那是 goroutine \`updateRuntimeUp\` 的事，循环只看它记下的结果。
          - value: runtime-state
            text:
              en: It skips the round and sleeps
              zh: 跳过这一轮，去睡觉
        then:
          - until: "goroutine.name == 'syncLoop' && kind in ['select', 'cri-call', 'runtime-state']"
        answer: kind
        right:
          en: "It sleeps {{ backoff / 1000 }} ms. \`runtimeErrors\` names {{ len(errors) }} reasons: {{ errors[0] }}; {{ errors[1] }}."
          zh: "睡 {{ backoff / 1000 }} 毫秒。\`runtimeErrors\` 给出 {{ len(errors) }} 个原因：{{ errors[0] }}；{{ errors[1] }}。"
      show: { level: everything, select: { channel: configCh } }
      holds:
        - "len(first(state.channels, c => c.name == 'configCh').items) == 1"

    - title:
        en: Two errors, two goroutines
        zh: 两个错误，两个 goroutine
      text:
        en: |-
          {{ round(time / 1000) }} ms: the PLEG has listed the runtime for the first time, and is healthy from now on.

          \`updateRuntimeUp\` has its answer, too, yet its error stays. It is still within \`initializeRuntimeDependentModules\`, which runs once, at the first good status: container manager, eviction manager, log rotation. Only after that does it note that the runtime is in sync.
        zh: |-
          第 {{ round(time / 1000) }} 毫秒：PLEG 第一次列完运行时，从此健康。

          \`updateRuntimeUp\` 也拿到了回答，但它那条错误还在。它还在 \`initializeRuntimeDependentModules\` 里，这个函数只在状态第一次良好时运行一次：容器管理器、驱逐管理器、日志轮转。做完之后，它才记下运行时已同步。
      do:
        - until: "kind == 'relist'"
      show: { level: everything, select: { part: pleg }, source: updateRuntimeUp }
      holds:
        - "any(first(state.goroutines, g => g.name == 'updateRuntimeUp').stack, s => s.fn == 'initializeRuntimeDependentModules')"
        - "any(state.runtime.errors, e => e =~ 'status check may not have completed')"
        - { records: { kind: cri-return, where: "method == 'Status' && error == null && goroutine.name == 'updateRuntimeUp'", exactly: 1 } }

    - title:
        en: The gate is open
        zh: 闸门开了
      ask:
        question:
          en: Both errors are gone, at {{ round(time / 1000) }} ms. The loop went to sleep at 17 ms, for 100 ms. How many ms after the start does it read its first message?
          zh: 两个错误都没了，现在是第 {{ round(time / 1000) }} 毫秒。循环从第 17 毫秒开始睡 100 毫秒。距启动多少毫秒，它读到第一条消息？
        number: { unit: ms, tolerance: 1 }
        then:
          - until: "kind == 'receive' && channel.name == 'configCh'"
        answer: "round(time / 1000)"
        right:
          en: At {{ round(time / 1000) }} ms. Nobody wakes it when the errors go; it looks again when its pause is over. A slower first status would have cost a second pause, of 200 ms.
          zh: 第 {{ round(time / 1000) }} 毫秒。错误消失时没有人叫醒它，睡完了它才再看。如果第一次状态来得更慢，还要再睡 200 毫秒。
      do:
        - until: "kind == 'runtime-state' && len(errors) == 0"
      show: { level: everything, select: { goroutine: syncLoop } }
      holds:
        - "goroutine.name == 'updateRuntimeUp' && state.loop.phase == 'backoff'"
        - "state.runtime.networkError == ''"

    - title:
        en: An ADD of nothing
        zh: 一个空的 ADD
      text:
        en: |-
          The message was an \`ADD\` without pods, and still it counts: source \`{{ source }}\` has now been seen. A later empty snapshot would not be sent at all.

          Until all sources have been seen, housekeeping is skipped and no pod is deleted. A kubelet that does not know yet what should be must not clear away what is.
        zh: |-
          这条消息是个没有 Pod 的 \`ADD\`，但它有用：来源 \`{{ source }}\` 从此算见过了。以后再有空快照，根本不会发出来。

          所有来源都见过之前，housekeeping 一律跳过，也不删除任何 Pod。还不知道该有什么的 kubelet，不能清理现有的东西。
      do:
        - until: "kind == 'sources-ready'"
      show: { level: loop, select: { part: podConfig } }
      holds:
        - "record.all && state.sources.file.ready && count(state.pods) == 0"
        - { sequence: [{ kind: receive, where: "channel.name == 'configCh' && item.op == 'ADD' && len(item.pods) == 0" }, { kind: sources-ready, where: "source == 'file'" }] }

    - title:
        en: No network
        zh: 没有网络
      ask:
        question:
          en: "Later: the runtime says that the pod network is not ready, as on a new node without a CNI plugin. \`updateRuntimeUp\` has noted it. Now a manifest for \`web\` comes. What does the loop do?"
          zh: "后来，运行时报告 Pod 网络未就绪，就像没有装 CNI 插件的新节点。\`updateRuntimeUp\` 已经记下。这时来了 \`web\` 的清单。循环怎么办？"
        options:
          - value: backoff
            text:
              en: It skips its rounds until the network is ready
              zh: 跳过每一轮，直到网络就绪
            wrong:
              en: That it does for \`runtimeErrors\`. The network error is kept apart from those.
              zh: 那是对 \`runtimeErrors\` 的做法。网络错误不在其中，另外存着。
          - value: worker
            text:
              en: It handles the pod as ever, and gives it to a worker
              zh: 照常处理，把它交给 worker
          - value: refuse
            text:
              en: It refuses the pod at admission
              zh: 准入时拒绝这个 Pod
            wrong:
              en: A refused pod has failed for good. The network may come at any moment, so the pod is let in.
              zh: 被拒绝的 Pod 就永远失败了。网络随时可能就绪，所以让 Pod 进来。
        then:
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
          - until: "kind == 'pod-update' || (kind == 'runtime-state' && backoff) || (kind == 'decision' && rule == 'canAdmitPod' && verdict != 'admit')"
        answer: "kind == 'pod-update' ? 'worker' : kind == 'decision' ? 'refuse' : 'backoff'"
        right:
          en: The loop goes on as ever. Of \`runtimeErrors\` there are {{ len(state.runtime.errors) }}, the network error is for \`SyncPod\` to look at.
          zh: 循环照常转。\`runtimeErrors\` 有 {{ len(state.runtime.errors) }} 条，网络错误要由 \`SyncPod\` 去看。
      do:
        - go: { time: 2s }
        - network: notReady
        - until: "kind == 'runtime-state' && networkError"
          pace: fast
      show: { level: loop, select: { record: here }, tab: what }
      holds:
        - "len(errors) == 0 && networkError =~ 'network not ready' && goroutine.name == 'updateRuntimeUp'"

    - title:
        en: As far as it goes
        zh: 能走多远走多远
      text:
        en: |-
          \`SyncPod\` wrote the status \`{{ pod.phase }}\`, came to its network check, and ended with an error. Of sandboxes there are {{ count(state.sandboxes) }}.

          The worker tries again in {{ seconds(worker.due - time) }} s. After this one error it waits 1 to 1.5 s, instead of the usual 10 to 15 s: a network tends to come soon, and all pods wait for it.
        zh: |-
          \`SyncPod\` 写下状态 \`{{ pod.phase }}\`，走到网络检查，就出错结束了。沙箱有 {{ count(state.sandboxes) }} 个。

          worker 过 {{ seconds(worker.due - time) }} 秒再试。唯独这个错误只等 1 到 1.5 秒，而不是通常的 10 到 15 秒：网络一般很快就来，所有 Pod 都在等它。
      do:
        - until: "kind == 'work-done' && error"
      show: { level: loop, select: { pod: web } }
      holds:
        - "worker.due - time >= 1s && worker.due - time <= 1.5s && count(state.sandboxes) == 0 && pod.phase == 'Pending'"
        - "worker.lastError =~ 'network is not ready'"
        - { event: { pod: web, reason: NetworkNotReady } }
        - { sequence: [{ kind: status, where: "status.phase == 'Pending'" }, { kind: step, where: "fn == 'SyncPod' && name =~ '*network*'" }, { kind: work-done, where: "error" }] }

    - title:
        en: Without the network
        zh: 不靠网络
      exercise:
        text:
          en: Leave the network as it is, and get a container to run all the same.
          zh: 网络不去动它，照样让一个容器运行起来。
        done:
          - "state.runtime.networkError != ''"
          - { records: { kind: actual-container, where: "state == 'running'", atLeast: 1 } }
          - { never: { kind: input, where: "verb == 'network'" } }
        hint:
          en: The check is only for pods that need a network of their own. Apply one that uses the node's.
          zh: 只有需要自己网络的 Pod 才检查。应用一个使用节点网络的 Pod。
        solution:
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
          - until: "kind == 'actual-container' && state == 'running'"

    - title:
        en: The network comes
        zh: 网络来了
      text:
        en: |-
          That is how a CNI plugin, itself a pod with \`hostNetwork\`, gets onto a new node. Now the network is ready, and at {{ seconds(time) }} s \`web\` is \`Running\`.

          Two clocks had to run out: \`updateRuntimeUp\` asks every 5 s, and the worker looks about once a second. The loop had no part in the waiting.
        zh: |-
          CNI 插件本身就是一个 \`hostNetwork\` 的 Pod，正是这样装上新节点的。现在网络就绪，第 {{ seconds(time) }} 秒 \`web\` 进入 \`Running\`。

          要等的是两个钟：\`updateRuntimeUp\` 每 5 秒问一次，worker 大约每秒看一次。循环没有参与等待。
      do:
        - network: ready
        - until: "kind == 'status' && pod == 'default/web-node1' && pod.phase == 'Running'"
          pace: fast
      show: { level: loop, select: { pod: web }, panel: timeline }
      holds:
        - { pod: web, phase: Running }
        - { records: { kind: runtime-state, where: "backoff", exactly: 1 } }
        - { sequence: [{ kind: input, where: "verb == 'network'" }, { kind: runtime-state, where: "networkError" }, { kind: input, where: "verb == 'network'" }, { kind: runtime-state, where: "!networkError" }, { kind: actual-sandbox, where: "state == 'ready'" }] }
`;
