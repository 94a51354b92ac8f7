/** The script of the worker that checks types. It loads the compiler, so the page starts it with the first stage. */
import { Checker } from './checker.js';
import { LIB } from './lib-text.js';
import type { TypeAnswer, TypeQuestion } from './types-messages.js';

const checker = new Checker(LIB);
const post = (answer: TypeAnswer) => postMessage(answer);

/** The checker's own words in Chinese are a file of the compiler. */
async function speak(lang: string): Promise<void> {
  if (lang === 'zh-CN')
    Checker.speak((await import('typescript-js/lib/zh-cn/diagnosticMessages.generated.json')).default);
}
let spoken: { lang: string; done: Promise<void> } | undefined;

self.onmessage = async ({ data }: MessageEvent<TypeQuestion>) => {
  const { id } = data;
  try {
    if (spoken?.lang !== data.lang) spoken = { lang: data.lang, done: speak(data.lang) };
    await spoken.done.catch(() => undefined);
    checker.set(data.types, data.code);
    if (data.do === 'check') post({ id, problems: checker.problems() });
    else if (data.do === 'complete') post({ id, ...checker.options(data.at) });
    else post({ id, info: checker.info(data.at) });
  } catch (error) {
    post({ id, failed: String(error) });
  }
};
