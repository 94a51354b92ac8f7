export const channels = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: channels
  title:
    en: Eight channels and one select
    zh: 八个通道和一个 select
  summary:
    en: What each input of the loop brings, how much it holds, and what happens when several are ready while the loop is busy.
    zh: 循环的每个输入带来什么、能装多少，以及循环正忙时几个输入同时就绪会怎样。
  minutes: 8
spec:
  goal:
    en: You can name the eight inputs of \`syncLoopIteration\`, and say what becomes of a message that was not taken.
    zh: 你能说出 \`syncLoopIteration\` 的八个输入，以及没有被取走的消息会怎样。
  scenario: slow-runtime
  seed: 1
  steps:
    - title:
        en: Eight inputs
        zh: 八个输入
      text:
        en: |-
          The loop waits for {{ len(state.loop.cases) }} channels at once. What **should be** comes by \`configCh\`. What **is** comes by \`plegCh\`, by \`livenessManager\`, \`readinessManager\` and \`startupManager\`, and from devices by \`containerManager\`.

          \`syncCh\` and \`housekeepingCh\` bring nothing but the time.
        zh: |-
          循环同时等 {{ len(state.loop.cases) }} 个通道。**应该怎样**，从 \`configCh\` 来。**实际怎样**，从 \`plegCh\`、\`livenessManager\`、\`readinessManager\`、\`startupManager\` 来，设备的从 \`containerManager\` 来。

          \`syncCh\` 和 \`housekeepingCh\` 只带来时间。
      do:
        - until: "kind == 'select' && len(cases) == 8"
          pace: fast
      show: { level: loop, select: { part: loop }, tab: what, source: syncLoopIteration }
      holds:
        - "state.loop.cases == ['configCh', 'plegCh', 'syncCh', 'livenessManager', 'readinessManager', 'startupManager', 'containerManager', 'housekeepingCh']"

    - title:
        en: What should be
        zh: 应该怎样
      text:
        en: |-
          A manifest was read, and \`PodConfig\` sends its \`{{ item.op }}\`. All sources, files, URL and API server, end in this one channel; it holds {{ channel.cap }} messages.

          The loop is waiting, so the message does not stay in it for long.
        zh: |-
          读到一份清单，\`PodConfig\` 发出它的 \`{{ item.op }}\`。所有来源，文件、URL、API server，都汇到这一个通道，它能装 {{ channel.cap }} 条消息。

          循环正等着，所以消息不会在里面久留。
      do:
        - until: "kind == 'send' && channel.name == 'configCh' && len(item.pods) == 1"
      show: { level: loop, select: { channel: configCh } }
      holds:
        - "item.op == 'ADD' && channel.cap == 50"
        - "state.loop.phase == 'waiting'"

    - title:
        en: What is
        zh: 实际怎样
      text:
        en: |-
          The PLEG has compared two lists of the runtime, and sends what is new: \`{{ item.type }}\`. There is room for {{ channel.cap }} events. If it is full the PLEG does not wait: the event is dropped, and a metric counts it.

          Nobody is asked here - the runtime was listed by another goroutine.
        zh: |-
          PLEG 比较了运行时的前后两份列表，把新的情况发出来：\`{{ item.type }}\`。这里装得下 {{ channel.cap }} 个事件。满了的话 PLEG 不会等：事件丢弃，由一个指标计数。

          这里谁也不用问，列出运行时的是另一个 goroutine。
      do:
        - until: "kind == 'send' && channel.name == 'plegCh'"
      show: { level: loop, select: { channel: plegCh } }
      holds:
        - "item.type == 'ContainerStarted' && channel.cap == 1000"
        - "goroutine.name == 'genericPLEG'"

    - name: busy
      title:
        en: The loop is busy
        zh: 循环正忙
      text:
        en: |-
          \`housekeepingCh\` ticks every 2 s, and \`{{ fn }}\` runs **on the loop's own goroutine**. In this scenario listing containers has become slow: the call takes 1.2 s.

          Until it is back nobody reads the eight channels. What comes meanwhile has to wait in them.
        zh: |-
          \`housekeepingCh\` 每 2 秒滴答一次，\`{{ fn }}\` **就在循环自己的 goroutine 里**运行。在这个场景里，列容器变慢了：一次调用要 1.2 秒。

          它回来之前，没有人读这八个通道。这期间来的东西只能在里面等。
      do:
        - until: "kind == 'enter' && fn == 'HandlePodCleanups' && time > 10s"
          pace: fast
      show: { level: loop, select: { channel: housekeepingCh }, source: HandlePodCleanups }
      holds:
        - "state.loop.phase == 'handling' && goroutine.name == 'syncLoop'"
        - "round(seconds(time)) == 10"

    - title:
        en: Ticks that nobody reads
        zh: 没人读的滴答
      ask:
        question:
          en: "\`syncCh\` ticks every second, and its next tick is due now. How many ticks lie in it when \`HandlePodCleanups\` returns after 1.2 s?"
          zh: "\`syncCh\` 每秒滴答一次，下一次就是现在。1.2 秒后 \`HandlePodCleanups\` 返回时，里面有几个滴答？"
        options:
          - value: 2
            text:
              en: Two, one for each second that has begun
              zh: 两个，每开始一秒就有一个
            wrong:
              en: Two were due, but the channel of a ticker has one slot. Go drops the tick that finds it taken.
              zh: 到时间的确实有两次，但 ticker 的通道只有一个槽。槽被占着时，Go 把这次滴答丢掉。
          - value: 1
            text:
              en: One
              zh: 一个
          - value: 0
            text:
              en: None - a tick is gone when nobody waits for it
              zh: 没有，没人等的滴答就没了
            wrong:
              en: The one slot keeps a tick until somebody reads it.
              zh: 那一个槽会把滴答留着，直到有人来读。
        then:
          - until: "kind == 'exit' && fn == 'HandlePodCleanups'"
        answer: "len(first(state.channels, c => c.name == 'syncCh').items)"
        right:
          en: It is {{ seconds(time) }} s now, and one tick is there, the older of two. A loop that was late does not have to make up for all it has missed.
          zh: 现在是 {{ seconds(time) }} 秒，里面有一个滴答，是两次中较早的那次。循环迟到了，也不必把错过的都补上。

    - name: several
      title:
        en: Several are ready
        zh: 几个同时就绪
      text:
        en: |-
          Three things came while the loop was busy: a container died (\`plegCh\`), the time for a sync (\`syncCh\`), and a probe failed (\`readinessManager\`). So {{ len(ready) }} cases are ready.

          Go's select has no order and no priorities: it draws. This time it took \`{{ channel.name }}\`.
        zh: |-
          循环忙的时候来了三样东西：一个容器死了（\`plegCh\`）、同步的时间到了（\`syncCh\`）、一个探针失败了（\`readinessManager\`）。所以 {{ len(ready) }} 个分支就绪。

          Go 的 select 没有顺序，也没有优先级：它抽签。这次抽到了 \`{{ channel.name }}\`。
      do:
        - until: "kind == 'select' && len(cases) == 8 && len(ready) > 1"
      show: { level: loop, select: { record: here }, tab: why }
      holds:
        - "ready == [1, 2, 4] && channel.name == 'readinessManager'"
        - "first(state.channels, c => c.name == 'plegCh').items[0].item.type == 'ContainerDied'"

    - title:
        en: What was not taken
        zh: 没被取走的
      ask:
        question:
          en: The loop handles the failed probe. What becomes of the \`ContainerDied\` in \`plegCh\`?
          zh: 循环在处理失败的探针。\`plegCh\` 里的 \`ContainerDied\` 会怎样？
        options:
          - value: same round
            text:
              en: It is handled in the same round, right after the probe
              zh: 在同一轮里处理，紧接着探针
            wrong:
              en: One round takes one message. After the handler the loop goes back to the top, and looks at the runtime's errors first.
              zh: 一轮只取一条消息。处理完之后循环回到开头，先看运行时有没有错误。
          - value: lost
            text:
              en: It is lost, and found again by the next relist
              zh: 丢了，等下一次 relist 再发现
            wrong:
              en: The PLEG tells each change once. What it has sent stays in the channel until it is read.
              zh: 每个变化 PLEG 只说一次。发出去的就留在通道里，直到被读走。
          - value: waits
            text:
              en: It waits for the next round
              zh: 等下一轮
        then:
          - until: "kind == 'select' && len(cases) == 8"
        answer: "contains(ready, 1) ? 'waits' : 'lost'"
        right:
          en: It was still there, {{ len(ready) }} cases were ready, and this time the select drew \`{{ channel.name }}\`. No time has passed - it is still {{ seconds(time) }} s.
          zh: 它还在，有 {{ len(ready) }} 个分支就绪，这次 select 抽到了 \`{{ channel.name }}\`。时间没有走，仍是 {{ seconds(time) }} 秒。

    - title:
        en: Draw again
        zh: 重新抽一次
      exercise:
        text:
          en: You stand before the select with the three ready cases. Go on to it, and make it take \`plegCh\` instead.
          zh: 你站在那次有三个就绪分支的 select 之前。走到它那里，让它改取 \`plegCh\`。
        done:
          - { records: { kind: select, where: "len(cases) == 8 && len(ready) == 3 && channel.name == 'plegCh'", atLeast: 1 } }
        hint:
          en: One step on, select the record, and choose another of its ready cases. The run that was stays as a branch of its own.
          zh: 走一步，选中那条记录，在它就绪的分支里选另一个。原来的运行会作为一个分支留着。
        solution:
          - step: { unit: record }
          - take: plegCh
      do:
        - go: { place: several }
        - step: { unit: record, back: true }
      show: { level: loop, select: { channel: plegCh }, panel: branches }
      holds:
        - "kind == 'enter' && fn == 'syncLoopIteration'"
        - "len(first(state.channels, c => c.name == 'plegCh').items) == 1"

    - title:
        en: Does the order matter?
        zh: 顺序要紧吗
      text:
        en: |-
          Your branch took \`plegCh\` first. Now, two rounds later, all three messages have been read here, too, and the channels are empty.

          The handlers only pass updates to the pods' workers. So the order rarely matters for what becomes of the pods - and where it does, another seed shows it.
        zh: |-
          你的分支先取了 \`plegCh\`。两轮之后，这里的三条消息也都读完了，通道空了。

          处理函数只是把更新交给各个 Pod 的 worker，所以顺序很少影响 Pod 的结局；真有影响的时候，换个种子就能看到。
      do:
        - until: "kind == 'wait' && goroutine.name == 'syncLoop' && on.op == 'select'"
          within: 1s
      show: { level: loop, select: { part: loop }, panel: timeline }
      holds:
        - "all(['plegCh', 'syncCh', 'readinessManager'], n => len(first(state.channels, c => c.name == n).items) == 0)"
        - { sequence: [{ kind: receive, where: "channel.name == 'plegCh' && item.type == 'ContainerDied'" }, { kind: enter, where: "fn == 'HandlePodSyncs'" }] }

    - title:
        en: In short
        zh: 小结
      text:
        en: |-
          Eight inputs, one message per round, drawn among those that are ready. Buffers hold what comes while a handler runs; tickers hold one tick.

          Hence the rule for all that runs on the loop: be quick. \`HandlePodCleanups\` logs \`Housekeeping took longer than expected\` when it took more than 1 s.
        zh: |-
          八个输入，每轮一条消息，在就绪的里面抽。处理函数运行时来的东西，缓冲区替它留着；ticker 只留一个滴答。

          所以在循环里运行的一切都有一条规矩：要快。\`HandlePodCleanups\` 超过 1 秒，就会记下 \`Housekeeping took longer than expected\`。
      show: { level: loop, select: { part: loop }, panel: log }
      holds:
        - { records: { kind: log, where: "msg == 'Housekeeping took longer than expected'", atLeast: 1 } }
`;
