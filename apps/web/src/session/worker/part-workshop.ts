import { useParts } from '@syncloop/core/kubelet/parts';
import { createInterpreter, isProblem, type LearnerCode } from '@syncloop/workshop/interpreter';
import { type CodeLoader, makePartsWith } from '@syncloop/workshop/seams';

/** Frees the interpreter's memory of code whose run is gone: going back makes runs anew. */
const gone = new FinalizationRegistry<LearnerCode>((code) => code.dispose());
let begun: Promise<void> | undefined;

/** Loads the interpreter, in which scenarios with `spec.parts` then run their code. */
export function loadInterpreter(): Promise<void> {
  begun ??= createInterpreter().then(
    (interpreter) => {
      const loader: CodeLoader = {
        load(file) {
          const code = interpreter.load(file);
          if (isProblem(code)) return code;
          const held = { ...code, call: code.call.bind(code), dispose: () => code.dispose() };
          gone.register(held, code);
          return held;
        },
      };
      useParts(makePartsWith(loader));
    },
    (error: unknown) => {
      begun = undefined;
      throw error;
    },
  );
  return begun;
}
