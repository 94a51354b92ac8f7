import { useUI } from '../../../page/ui-store.js';
import type { TypeAnswer, TypeInfo, TypeOption, TypeProblem, TypeQuestion } from './types-messages.js';

type Ask = TypeQuestion extends infer Q ? (Q extends TypeQuestion ? Omit<Q, 'id' | 'lang'> : never) : never;

/** Asks the worker that checks types; it ends with `close()`. If it fails, there are no types, and all else goes on. */
export class TypesClient {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, (answer: TypeAnswer | null) => void>();
  private ids = 0;

  constructor() {
    this.worker = new Worker(new URL('./workshop-types-worker.ts', import.meta.url), { type: 'module', name: 'types' });
    this.worker.onmessage = ({ data }: MessageEvent<TypeAnswer>) => {
      this.waiting.get(data.id)?.('failed' in data ? null : data);
      this.waiting.delete(data.id);
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.close();
    };
  }

  async problems(types: string, code: string): Promise<readonly TypeProblem[]> {
    const answer = await this.ask({ do: 'check', types, code });
    return answer && 'problems' in answer ? answer.problems : [];
  }

  async options(
    types: string,
    code: string,
    at: number,
  ): Promise<{ from: number; options: readonly TypeOption[] } | null> {
    const answer = await this.ask({ do: 'complete', types, code, at });
    return answer && 'options' in answer ? answer : null;
  }

  async info(types: string, code: string, at: number): Promise<TypeInfo | null> {
    const answer = await this.ask({ do: 'info', types, code, at });
    return answer && 'info' in answer ? answer.info : null;
  }

  close(): void {
    this.worker.terminate();
    for (const answer of this.waiting.values()) answer(null);
    this.waiting.clear();
  }

  private ask(question: Ask): Promise<TypeAnswer | null> {
    const id = ++this.ids;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.worker.postMessage({ ...question, id, lang: useUI.getState().lang });
    });
  }
}
