import { useParts } from '@syncloop/core/kubelet/parts';
import { createInterpreter } from '@syncloop/workshop/interpreter';
import { makePartsWith } from '@syncloop/workshop/seams';

let begun: Promise<void> | undefined;

/** Loads the interpreter, in which scenarios with `spec.parts` then run their code. */
export function loadInterpreter(): Promise<void> {
  begun ??= createInterpreter().then(
    (interpreter) => useParts(makePartsWith(interpreter)),
    (error: unknown) => {
      begun = undefined;
      throw error;
    },
  );
  return begun;
}
