/** The debugger's own words: step, back, continue, pause, go, why, break, help, explain. */

import { type ConsoleCommand, ConsoleError, explain, findVerb, type PodSchema, verbsOf } from '@syncloop/core/kubectl';
import { tryCommand } from '../../commands/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { seconds } from '../../units/text.js';
import { targets } from '../breakpoints/commands.js';
import { can, findPod, type Io, send, worldNow } from './context.js';

/** Prints one sentence about the session's position. */
function position(io: Io): void {
  const { run } = useSession.getState();
  const params = { seq: run.seq, time: seconds(run.time), step: run.steps, iteration: run.iterations };
  io.note(run.next === '' ? 'console.position' : 'console.positionNext', { ...params, next: run.next });
}

/** Answers come before the run state that goes with them. */
const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 60));

export async function step(io: Io, c: Extract<ConsoleCommand, { do: 'step' }>): Promise<void> {
  if (!can('control')) {
    io.note('console.noControl');
    return;
  }
  if (c.back && !can('rewind')) {
    io.note('console.noRewind');
    return;
  }
  await send({
    do: 'step',
    unit: c.unit,
    ...(c.count > 1 && { count: c.count }),
    ...(c.back && { back: true }),
  });
  await settle();
  position(io);
}

export async function go(io: Io, c: Extract<ConsoleCommand, { do: 'go' }>): Promise<void> {
  if (!can('control') || !can('rewind')) {
    io.note('console.noRewind');
    return;
  }
  if (c.to === 'end') await tryCommand('transport.toEnd');
  else await send({ do: 'go', to: c.to === 'start' ? { step: 0 } : c.to });
  await settle();
  position(io);
}

export async function runOrPause(io: Io, what: 'continue' | 'pause'): Promise<void> {
  if (!can('control')) {
    io.note('console.noControl');
    return;
  }
  await send({ do: what === 'continue' ? 'resume' : 'pause' });
  await settle();
  if (what === 'pause') position(io);
  else io.note('console.runs');
}

export async function why(io: Io, c: Extract<ConsoleCommand, { do: 'why' | 'break' }>): Promise<void> {
  if (c.pod !== null) {
    const pod = findPod(io, worldNow(), c.namespace, c.pod);
    if (!pod) return;
    useUI.setState({ selection: { kind: 'pod', uid: pod.metadata.uid } });
  }
  if (c.do === 'why') {
    if (useUI.getState().selection === null) {
      io.note('console.whyWhat');
      return;
    }
    await tryCommand('view.why');
    io.note('console.why');
    return;
  }
  if (c.pod === null) {
    useUI.setState({ bottom: 'breakpoints' });
    return;
  }
  const [target] = targets();
  if (!target || !can('control')) {
    io.note('console.noControl');
    return;
  }
  await tryCommand('breakpoint.toggleAt', target);
}

export function explainField(io: Io, c: Extract<ConsoleCommand, { do: 'explain' }>, schema: PodSchema): void {
  io.out(explain(schema, c.path, useUI.getState().lang === 'en' ? 'en' : 'zh', c.recursive).trimEnd());
}

export function help(io: Io, topic: string | null): void {
  const lang = useUI.getState().lang === 'en' ? 'en' : 'zh';
  const tools = ['kubectl', 'crictl', 'own'] as const;
  const words = topic?.split(' ') ?? [];
  const tool = tools.find((x) => x === words[0]);
  const word = tool === undefined || words.length > 1 ? words.at(-1) : undefined;
  if (word !== undefined) {
    const verb = (tool ? [tool] : tools).map((x) => findVerb(x, word)).find(Boolean);
    if (!verb)
      throw new ConsoleError(
        `there is no help about "${topic}"; write help`,
        `没有关于 "${topic}" 的帮助；请输入 help`,
      );
    const flags = verb.flags.map(
      (f) =>
        `  ${f.short ? `-${f.short}, ` : '    '}--${f.name}${Array.isArray(f.takes) ? `=${f.takes.join('|')}` : f.takes ? `=${String(f.takes).toUpperCase()}` : ''}`,
    );
    io.out([`${verb.usage}`, `  ${verb.help[lang]}`, ...flags].join('\n'));
    return;
  }
  const lines = (tool ? [tool] : tools).flatMap((x) => [
    x === 'own' ? 'syncloop' : x,
    ...verbsOf(x).map((v) => `  ${v.name.padEnd(10)} ${v.help[lang]}`),
    '',
  ]);
  io.out(lines.join('\n').trimEnd());
  io.note('console.helpMore');
}
