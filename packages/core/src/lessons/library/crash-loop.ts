export const crashLoop = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: crash-loop
  title:
    en: Back-off, and what the status says of it
    zh: 退避，以及它在状态里的样子
  summary:
    en: A container that fails again and again is restarted later and later. See where the wait is kept, from when it counts, why it lasts longer than it says, and what makes the kubelet forget it.
    zh: 反复失败的容器，重启得越来越晚。看看这个等待记在哪里、从何时算起、为什么实际比它说的更长，以及什么会让 kubelet 忘掉它。
  minutes: 8
spec:
  goal:
    en: You can say when a failed container is started again, what \`CrashLoopBackOff\` is and is not, and how the wait begins anew.
    zh: 你能说出失败的容器何时再启动、\`CrashLoopBackOff\` 是什么又不是什么，以及这个等待怎样从头开始。
  scenario:
    apiVersion: syncloop.dev/v1alpha1
    kind: Scenario
    metadata:
      name: crash
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
              name: crash
            spec:
              terminationGracePeriodSeconds: 5
              containers:
                - name: app
                  image: localhost/busybox:dev
                  imagePullPolicy: IfNotPresent
                  command: ["sh", "-c", "echo cannot reach the database; sleep 1; exit 1"]
        - wait: 10m
  seed: 1
  steps:
    - title:
        en: It ends for the first time
        zh: 第一次结束
      text:
        en: |-
          The process of \`app\` has ended with exit code {{ exitCode }}, {{ seconds(time) }} s after the start. The pod does not say \`restartPolicy\`, so it is \`Always\`.

          The kubelet does not know yet: for it the container runs until the PLEG lists the runtime again.
        zh: |-
          启动后 {{ seconds(time) }} 秒，\`app\` 的进程结束了，退出码 {{ exitCode }}。Pod 没写 \`restartPolicy\`，所以是 \`Always\`。

          kubelet 还不知道：在 PLEG 再次列出运行时之前，在它看来容器仍在运行。
      do:
        - until: "kind == 'actual-container' && state == 'exited'"
          pace: fast
      show: { level: story, select: { container: app, pod: crash }, tab: what }
      holds:
        - "exitCode == 1 && time < 3s"
        - "state.pods['crash'].status.containerStatuses[0].state.running != null"
        - { never: { kind: pleg-event, where: "type == 'ContainerDied'" } }

    - title:
        en: How long does it wait now?
        zh: 这次等多久
      ask:
        question:
          en: The PLEG will see it, and a worker will call \`SyncPod\`. What does \`doBackOff\` say to this **first** restart?
          zh: PLEG 会看到，worker 会调用 \`SyncPod\`。对这**第一次**重启，\`doBackOff\` 会怎么说？
        options:
          - value: 10s
            text:
              en: Wait 10 s, for that is where the back-off begins
              zh: 等 10 秒，退避就从这里开始
            wrong:
              en: 10 s is the first entry, but it is made by the first restart, and holds for the second one.
              zh: 第一个条目确实是 10 秒，但它由第一次重启建立，用在第二次上。
          - value: resync
            text:
              en: Wait for the next resync of the pod
              zh: 等 Pod 的下一次 resync
            wrong:
              en: The \`ContainerDied\` of the PLEG brings the pod to \`SyncPod\` at once; no resync is needed.
              zh: PLEG 的 \`ContainerDied\` 马上就把 Pod 带到 \`SyncPod\`，用不着 resync。
          - value: now
            text:
              en: Start it now
              zh: 现在就启动
        then:
          - until: "kind == 'backoff'"
        answer: "active ? 'waits' : 'now'"
        right:
          en: Nothing is kept under this container's key, so there is nothing to wait for. \`doBackOff\` makes an entry of {{ seconds(delay) }} s for the next time, and the restart follows in the same round.
          zh: 这个容器的键下什么也没有，所以不用等。\`doBackOff\` 为下一次建一个 {{ seconds(delay) }} 秒的条目，重启就在同一轮里进行。

    - name: second
      title:
        en: The second time it has to wait
        zh: 第二次就得等了
      text:
        en: |-
          It ran again, and ended again. The entry says {{ seconds(delay) }} s, and they count from the moment it **ended**, not from now: until {{ seconds(until) }} s. It is {{ seconds(time) }} s.

          So this round calls neither \`CreateContainer\` nor \`StartContainer\`. It ends with an error, \`CrashLoopBackOff\`.
        zh: |-
          它又运行，又结束了。条目说 {{ seconds(delay) }} 秒，而且从它**结束**的时刻算起，不是从现在：到第 {{ seconds(until) }} 秒为止。现在是第 {{ seconds(time) }} 秒。

          所以这一轮既不调用 \`CreateContainer\`，也不调用 \`StartContainer\`，而是以错误 \`CrashLoopBackOff\` 结束。
      do:
        - until: "kind == 'backoff' && active"
          pace: fast
      show: { level: loop, select: { record: here }, tab: why }
      holds:
        - "delay == 10s && until - 10s < time && until - 10s > time - 2s"
        - { records: { kind: actual-container, where: "state == 'running'", exactly: 2 } }
        - "first(state.containers, c => c.attempt == 1).since == until - 10s"

    - title:
        en: What does the status say?
        zh: 状态里写着什么
      ask:
        question:
          en: The round is over, and the kubelet has begun to wait. What stands in the pod's status for \`app\` now?
          zh: 这一轮结束了，kubelet 开始等待。现在 Pod 的状态里，\`app\` 是什么？
        options:
          - value: waiting
            text:
              en: "\`waiting\`, with the reason \`CrashLoopBackOff\`"
              zh: "\`waiting\`，原因 \`CrashLoopBackOff\`"
            wrong:
              en: That is what comes next. The status was made at the beginning of the round, when nobody had asked the back-off yet.
              zh: 那是下一步的事。状态是在这一轮开头生成的，那时还没有人问过退避。
          - value: terminated
            text:
              en: "\`terminated\`, with the reason \`Error\`"
              zh: "\`terminated\`，原因 \`Error\`"
          - value: running
            text:
              en: "\`running\`, for the pod's phase is \`Running\`"
              zh: "\`running\`，因为 Pod 的 phase 是 \`Running\`"
            wrong:
              en: The phase is a summary; it stays \`Running\` while a stopped container is going to be restarted. The container itself has ended.
              zh: phase 是汇总：停掉的容器还要重启，它就一直是 \`Running\`。容器本身已经结束了。
        then:
          - until: "kind == 'work-done'"
        answer: "keys(state.pods['crash'].status.containerStatuses[0].state)[0]"
        right:
          en: "\`SyncPod\` writes the status before the containers' turn. The error went to the reason cache; the **next** round's status will show it. Until then it reads \`{{ state.pods['crash'].status.containerStatuses[0].state.terminated.reason }}\`."
          zh: "\`SyncPod\` 先写状态，然后才轮到容器。错误进了 reason cache，**下一轮**的状态才会显示它。在那之前写的是 \`{{ state.pods['crash'].status.containerStatuses[0].state.terminated.reason }}\`。"

    - title:
        en: The next try
        zh: 下一次尝试
      ask:
        question:
          en: "The error carried the time at which the back-off ends, and \`completeWork\` queued the pod by it. When is \`app\` started?"
          zh: "错误里带着退避结束的时刻，\`completeWork\` 据此给 Pod 排了队。\`app\` 什么时候启动？"
        options:
          - value: exactly
            text:
              en: Exactly 10 s after it ended
              zh: 结束后正好 10 秒
            wrong:
              en: That is the earliest it may be. The queue stretches the wait by up to a half, at random, so that many pods do not come back at the same moment; then the next tick of \`syncCh\` has to find it.
              zh: 那只是最早的时刻。队列会把等待随机拉长，最多一半，免得许多 Pod 同时回来；然后还要等 \`syncCh\` 的下一个滴答发现它。
          - value: later
            text:
              en: Later than that, by some seconds
              zh: 比那再晚几秒
          - value: resync
            text:
              en: At the next resync, after 60 to 90 s
              zh: 下一次 resync 时，60 到 90 秒之后
            wrong:
              en: It was so up to v1.32, unless something else made the pod sync. Now the worker gets the error, and with it the time.
              zh: v1.32 及以前是这样，除非别的事让 Pod 同步。现在 worker 会得到错误，时刻也在里面。
        then:
          - until: "kind == 'backoff' && !active"
            within: 90s
            pace: fast
        answer: "time - until < 10500ms ? 'exactly' : (time - until < 60s ? 'later' : 'resync')"
        right:
          en: "{{ seconds(time - until) }} s after it ended. The queue multiplies by 1 to 1.5, and \`getPodsToSync\` looks once a second. The entry is doubled now: {{ seconds(delay) }} s."
          zh: "结束后 {{ seconds(time - until) }} 秒。队列乘以 1 到 1.5，\`getPodsToSync\` 每秒才看一次。条目现在翻倍了：{{ seconds(delay) }} 秒。"

    - title:
        en: The status is late
        zh: 状态慢了一步
      text:
        en: |-
          This round's status says \`{{ state.pods['crash'].status.containerStatuses[0].state.waiting.reason }}\`, now that the wait is over: the message is that of the round before. In a moment \`app\` runs, and it is gone.

          So \`CrashLoopBackOff\` is no state of the runtime. It is the error of the last try, shown for a container that should run.
        zh: |-
          这一轮的状态写着 \`{{ state.pods['crash'].status.containerStatuses[0].state.waiting.reason }}\`，可等待已经结束：这条消息是上一轮的。马上 \`app\` 就会运行，它也就没了。

          所以 \`CrashLoopBackOff\` 不是运行时的状态，而是上一次尝试的错误，写在本该运行的容器上。
      show: { level: loop, select: { pod: crash }, panel: pods, source: generateAPIPodStatus }
      holds:
        - "state.pods['crash'].status.containerStatuses[0].state.waiting.reason == 'CrashLoopBackOff'"
        - "contains(state.pods['crash'].status.containerStatuses[0].state.waiting.message, 'back-off 10s')"
        - "delay == 20s && !active"
        - { records: { kind: cri-call, where: "method == 'StartContainer'", exactly: 2 } }
        - { records: { kind: status, where: "pod.status.containerStatuses[0].state.waiting.reason == 'CrashLoopBackOff'", exactly: 1 } }

    - name: third
      title:
        en: Twice as long
        zh: 长一倍
      text:
        en: |-
          The third exit: now {{ seconds(delay) }} s. It goes on with 40, 80, 160 and then 300 s, and stays there.

          The entry is kept under a key made of the pod's name, namespace and UID, the container's name, **its image and its resources**. Change one of these, and another key counts: nothing to wait for.
        zh: |-
          第三次退出：现在是 {{ seconds(delay) }} 秒。接下来是 40、80、160，然后 300 秒，就停在那里。

          条目的键由 Pod 的名字、命名空间和 UID，容器的名字、**镜像和资源**组成。改了其中一样，键就不同了，也就不用等。
      do:
        - until: "kind == 'backoff' && active && delay == 20s"
          pace: fast
      show: { level: loop, select: { pod: crash }, panel: events, source: computePodActions }
      holds:
        - "delay == 20s && active"
        - { event: { pod: crash, reason: BackOff, type: Warning, atLeast: 1 } }
        - { sequence: [{ kind: backoff, where: "!active && delay == 10s" }, { kind: backoff, where: "active && delay == 10s" }, { kind: backoff, where: "!active && delay == 20s" }, { kind: backoff, where: "active && delay == 20s" }] }

    - title:
        en: What is there meanwhile
        zh: 这期间有什么
      text:
        en: |-
          It waits, and the sandbox stays: {{ count(state.sandboxes, s => s.state == 'ready') }} of them is ready, with the IP it had from the start. Of the dead containers only the newest is kept; \`cleanUpContainersInPod\` had the older ones removed.

          The restart count comes from that one: the next is its count plus 1.
        zh: |-
          它在等，沙箱留着：就绪的有 {{ count(state.sandboxes, s => s.state == 'ready') }} 个，IP 还是最初那个。死掉的容器只留最新的一个，更早的由 \`cleanUpContainersInPod\` 清掉了。

          重启次数就从留下的这个来：它的次数加 1。
      do:
        - until: "kind == 'pleg-event' && type == 'ContainerRemoved'"
          pace: fast
      show: { level: everything, select: { sandbox: crash }, panel: timeline, source: cleanUpContainersInPod }
      holds:
        - "count(state.sandboxes, s => s.state == 'ready') == 1"
        - "count(state.containers, c => c.state == 'exited') == 1"
        - "first(state.containers, c => c.state == 'exited').attempt == 2"
        - { records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 1 } }

    - title:
        en: Start it now
        zh: 现在就启动它
      exercise:
        text:
          en: "\`app\` may not be started before {{ seconds(first(state.pods['crash'].backoffs, b => b.active).until) }} s. Make the kubelet start it in this pod **earlier**, with the wait back at the beginning. The pod and its manifest stay as they are."
          zh: "\`app\` 在第 {{ seconds(first(state.pods['crash'].backoffs, b => b.active).until) }} 秒之前不许启动。让 kubelet 在这个 Pod 里**提前**启动它，等待也从头开始。Pod 和它的清单都不动。"
        done:
          - { records: { kind: backoff, where: "!active && delay == 10s", atLeast: 1 } }
          - { records: { kind: actual-container, where: "name == 'app' && state == 'running' && attempt == 3", atLeast: 1 } }
        hint:
          en: Nothing of the back-off is written to disk. Whose memory is it in? Let the run go on after you have done it.
          zh: 退避的内容一点也没有写到磁盘上。它在谁的内存里？做完之后让运行继续。
        solution:
          - restart: kubelet
          - until: "kind == 'actual-container' && state == 'running' && attempt == 3"

    - title:
        en: Forgotten, but counted
        zh: 忘了，但数没丢
      text:
        en: |-
          The new kubelet found no entry and started \`app\` at once. Yet this is attempt {{ first(state.containers, c => c.name == 'app' && c.state == 'running').attempt }}: that number is in the runtime, with the dead container.

          The other way to begin anew: an exit more than 10 min after the last permitted restart. Running well for less than that does not shorten the wait.
        zh: |-
          新的 kubelet 没找到条目，马上启动了 \`app\`。但这是第 {{ first(state.containers, c => c.name == 'app' && c.state == 'running').attempt }} 次重启：这个数在运行时里，跟着那个死掉的容器。

          从头开始的另一个办法：距上次获准重启 10 分钟以上才退出。没到这么久，运行得再好也不会缩短等待。
      show: { level: story, select: { container: app, pod: crash }, panel: timeline }
      holds:
        - "first(state.containers, c => c.name == 'app' && c.state == 'running').attempt == 3"
        - { records: { kind: backoff, where: "!active && delay == 10s", exactly: 2 } }
        - "time < 39s"
        - { records: { kind: process, where: "process == 'kubelet' && state == 'started'", exactly: 2 } }
`;
